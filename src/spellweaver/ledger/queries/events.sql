-- name: after
-- What happened after an event, oldest first.
SELECT e.seq, e.txn, e.at, e.type, s.authority || '/' || s.name, e.occurrence, e.invocation, e.actor, e.data
FROM event e LEFT JOIN schedule s ON s.id = e.schedule
WHERE e.seq > :after AND (:schedule IS NULL OR e.schedule = :schedule) AND (:type IS NULL OR e.type GLOB :type)
ORDER BY e.seq LIMIT :limit

-- name: newest
-- The last so many that fit, newest first.
SELECT e.seq, e.txn, e.at, e.type, s.authority || '/' || s.name, e.occurrence, e.invocation, e.actor, e.data
FROM event e LEFT JOIN schedule s ON s.id = e.schedule
WHERE (:schedule IS NULL OR e.schedule = :schedule) AND (:type IS NULL OR e.type GLOB :type)
ORDER BY e.seq DESC LIMIT :limit

-- name: last
SELECT ifnull(max(seq), 0) FROM event

-- name: of_schedule_itself
-- What was done to a Schedule, not to its firings.
SELECT e.seq, e.txn, e.at, e.type, s.authority || '/' || s.name, e.occurrence, e.invocation, e.actor, e.data
FROM event e JOIN schedule s ON s.id = e.schedule WHERE e.schedule = ? AND e.type GLOB 'schedule.*' ORDER BY e.seq
