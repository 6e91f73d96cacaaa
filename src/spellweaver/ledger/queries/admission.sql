-- name: facts
-- Pending firings whose moment has come, and as many kept back by capacity as there are free workers; foreground first, then by
-- nominal instant (SEL-01). One row carries all that the decision needs.
SELECT o.id, o.schedule, o.class, o.due_at, o.latest_start_at, o.finish_by, o.reason, o.nominal_at, r.pattern, o.revision,
    (SELECT json_group_array(i.id) FROM invocation i
     WHERE i.schedule = o.schedule AND i.state IN ('queued', 'running', 'suspended', 'cancelling', 'contained')),
    (SELECT json_group_array(json_array(w.nominal_at, w.id)) FROM occurrence w
     WHERE w.schedule = o.schedule AND w.state = 'pending' AND w.reason = 'capacity' AND w.latest_start_at IS NULL AND w.finish_by IS NULL
        AND w.generation <> 0),
    s.state = 'stopped', s.state = 'paused', o.generation = 0
FROM occurrence o JOIN revision r ON r.id = o.revision JOIN schedule s ON s.id = o.schedule
WHERE o.id IN (
    SELECT id FROM (
        SELECT id, class, nominal_at FROM occurrence WHERE state = 'pending' AND wake_at <= :now
        UNION ALL
        SELECT id, class, nominal_at FROM (
            SELECT id, class, nominal_at FROM occurrence
            WHERE state = 'pending' AND reason = 'capacity' AND (wake_at IS NULL OR wake_at > :now)
            ORDER BY (class <> 'foreground'), nominal_at LIMIT :free))
    ORDER BY (class <> 'foreground'), nominal_at, id LIMIT :limit)
ORDER BY (o.class <> 'foreground'), o.nominal_at, o.id

-- name: standing
SELECT schedule, state, reason FROM occurrence WHERE id = ?

-- name: free
SELECT capacity - (SELECT ifnull(sum(amount), 0) FROM "grant" WHERE account = :account AND settled IS NULL) FROM account WHERE name = :account

-- name: pattern
SELECT key, revision, snapshot FROM pattern_version WHERE id = ?

-- name: binding
-- The binding in force for a station: the newest generation.
SELECT id, body FROM binding WHERE pattern_key = ? AND pattern_revision = ? AND station = ? ORDER BY generation DESC LIMIT 1

-- name: last_ids
SELECT (SELECT ifnull(max(id), 0) FROM invocation), (SELECT ifnull(max(id), 0) FROM run), (SELECT ifnull(max(id), 0) FROM attempt)

-- name: invoke
INSERT INTO invocation (id, occurrence, schedule, exclusive, state, reason, disposition, admitted_at)
VALUES (:invocation, :occurrence, :schedule, 1, 'queued', 'worker', 'none', :at)

-- name: run
INSERT INTO run (id, invocation, pattern, name) VALUES (:run, :invocation, :pattern, :name)

-- name: deliver
INSERT INTO delivery (run, seq, station, state) VALUES (:run, 1, :station, 'pending')

-- name: attempt
INSERT INTO attempt (id, run, delivery, nth, state, granted_at) VALUES (:attempt, :run, 1, 1, 'granted', :at)

-- name: grant
INSERT INTO "grant" (attempt, account, amount) VALUES (:attempt, 'workers', 1)

-- name: admitted
UPDATE occurrence SET state = 'admitted', reason = :reason, decided_at = :at, wake_at = NULL WHERE id = :occurrence AND state = 'pending'

-- name: wait
UPDATE occurrence SET reason = :reason, wake_at = :wake_at, blockers = :blockers WHERE id = :occurrence AND state = 'pending'

-- name: end
-- One that is missed with overlap as its last obstacle keeps the blockers that it had, where none is left.
UPDATE occurrence SET state = :state, reason = :reason, decided_at = :at, wake_at = NULL, blockers = ifnull(:blockers, blockers)
WHERE id = :occurrence AND state = 'pending'
