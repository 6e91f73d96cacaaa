-- name: known
-- The event that a Schedule took on under this name, and what became of it (OCC-01, OCC-05).
SELECT x.id, x.content_digest, o.id, r.number, o.state, o.reason, i.id, i.state
FROM external_firing x JOIN occurrence o ON o.schedule = x.schedule AND o.generation = 0 AND o.civil = x.id AND o.fold = -1
JOIN revision r ON r.id = o.revision LEFT JOIN invocation i ON i.occurrence = o.id
WHERE x.schedule = :schedule AND x.source = :source AND x.event_id = :event_id

-- name: pending
-- How many events wait, of all Schedules.
SELECT count(*) FROM occurrence WHERE state = 'pending' AND generation = 0

-- name: receive
INSERT INTO external_firing (schedule, source, event_id, content_digest, content, origin, principal, received_at)
VALUES (:schedule, :source, :event_id, :digest, :content, :origin, :principal, :at)

-- name: assign
INSERT INTO occurrence (schedule, generation, civil, fold, revision, nominal_at, due_at, not_before, latest_start_at, class, mode,
    policy, authority, created_at, state, reason, decided_at, wake_at)
SELECT id, 0, :external, -1, :revision, :at, :at, :not_before, :latest_start_at, :class, 'live',
    :policy, (SELECT generation FROM authority WHERE name = schedule.authority), :at, :state, :reason, :decided_at, :wake_at
FROM schedule WHERE id = :schedule

-- name: named
-- How an external firing is named, as core.event.key has it, who sent it, and the digest of what he sent.
SELECT source || ':' || event_id, source, event_id, origin, principal, lower(hex(content_digest)) FROM external_firing WHERE id = ?
