-- name: due
-- Schedules whose next candidate has come, the longest due first: a chunk costs what it takes, not what is due.
SELECT id FROM schedule WHERE state = 'active' AND next_at <= :now ORDER BY next_at LIMIT :limit

-- name: paused
-- Paused ones with a candidate that has come, and those whose pause ends by itself. Else SQLite would read all Schedules.
SELECT id FROM schedule INDEXED BY schedule_paused WHERE state = 'paused' AND next_at <= :now
UNION
SELECT p.schedule FROM pause p INDEXED BY pause_until CROSS JOIN schedule s ON s.id = p.schedule
WHERE p.ended_at IS NULL AND p.until_at <= :now AND s.state = 'paused' LIMIT :limit

-- name: late
-- Schedules with a firing that was stored, never looked at when it was due, and is late now. Else SQLite would read all that pends, to
-- save a sort. One that was looked at has an event that says what it waited for; a clock that went back makes it not_yet again.
SELECT DISTINCT o.schedule FROM occurrence o INDEXED BY occurrence_wake JOIN schedule s ON s.id = o.schedule
WHERE o.state = 'pending' AND o.wake_at < :late AND o.reason = 'not_yet' AND o.mode = 'live' AND s.state = 'active'
    AND NOT EXISTS (SELECT 1 FROM event e WHERE e.occurrence = o.id AND e.type = 'occurrence.pending') LIMIT :limit

-- name: marks
-- Where the due ones stand: the generation of their authority, the mark, the next candidate, and whether a firing is pending that
-- was stored before its due instant and not looked at since. :due is a JSON list of row numbers, here and below.
SELECT s.id, a.generation, s.settled_to, ifnull(s.next_at, :never), EXISTS (
    SELECT 1 FROM occurrence o WHERE o.schedule = s.id AND o.state = 'pending' AND o.reason = 'not_yet' AND o.mode = 'live'
    AND NOT EXISTS (SELECT 1 FROM event e WHERE e.occurrence = o.id AND e.type = 'occurrence.pending'))
FROM schedule s JOIN authority a ON a.name = s.authority WHERE s.id IN (SELECT value FROM json_each(:due))

-- name: stretches
-- Who owns which nominal seconds: the activations of each Schedule, the latest first.
SELECT schedule, id FROM activation WHERE schedule IN (SELECT value FROM json_each(:due))
ORDER BY schedule, id DESC

-- name: waiting
-- Pending firings from before, oldest first; whether one was never looked at when it was due, and whether it is external.
SELECT o.id, o.due_at, o.latest_start_at, o.finish_by, o.revision, o.reason = 'not_yet' AND o.mode = 'live'
    AND NOT EXISTS (SELECT 1 FROM event e WHERE e.occurrence = o.id AND e.type = 'occurrence.pending'), o.generation = 0
FROM occurrence o
WHERE o.schedule = ? AND o.state = 'pending' ORDER BY o.nominal_at, o.fold

-- name: store
INSERT INTO occurrence (id, schedule, generation, civil, fold, revision, nominal_at, due_at, not_before, latest_start_at, class, mode,
    policy, authority, created_at, state, reason, decided_at, wake_at)
VALUES (:id, :schedule, :generation, :civil, :fold, :revision, :nominal_at, :due_at, :not_before, :latest_start_at, :class, :mode,
    :policy, :authority, :created_at, :state, :reason, :decided_at, :wake_at)

-- name: range
INSERT INTO firing_range (schedule, generation, revision, state, reason, first_civil, first_fold, first_at, last_civil, last_fold, last_at,
    count, decided_at)
VALUES (:schedule, :generation, :revision, :state, :reason, :first_civil, :first_fold, :first_at, :last_civil, :last_fold, :last_at,
    :count, :decided_at)

-- name: settled
UPDATE schedule SET settled_to = :settled_to, next_at = :next_at WHERE id = :id AND settled_to = :before AND state IN ('active', 'paused')

-- name: stop
UPDATE schedule SET state = 'stopped', why = :why WHERE id = :id AND state IN ('active', 'paused')

-- name: retire
UPDATE schedule SET state = 'retired', next_at = NULL, why = NULL WHERE id = ? AND state <> 'retired'

-- name: pending
SELECT id FROM occurrence WHERE schedule = ? AND state = 'pending' ORDER BY nominal_at, fold

-- name: drop
UPDATE occurrence SET state = :state, reason = :reason, decided_at = :at, wake_at = NULL WHERE id = :id AND state = 'pending'

-- name: keep
UPDATE occurrence SET mode = 'catch_up' WHERE id = ? AND state = 'pending'

-- name: last_occurrence
SELECT ifnull(max(id), 0) FROM occurrence
