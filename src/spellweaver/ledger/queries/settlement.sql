-- name: granted
-- Attempts that hold a worker and wait for their claim, oldest first; what a launch says of the firing it is for; and the binding
-- in force, which is the newest generation.
SELECT a.id, a.run, a.delivery, a.nth, d.station, r.invocation, i.occurrence, p.key, p.revision,
    o.generation, o.civil, o.fold, o.nominal_at, o.finish_by, o.revision, b.id, b.body, x.source, x.event_id, x.content
FROM attempt a JOIN delivery d ON d.run = a.run AND d.seq = a.delivery JOIN run r ON r.id = a.run
JOIN invocation i ON i.id = r.invocation JOIN occurrence o ON o.id = i.occurrence JOIN pattern_version p ON p.id = r.pattern
LEFT JOIN binding b ON b.id = (
    SELECT id FROM binding WHERE pattern_key = p.key AND pattern_revision = p.revision AND station = d.station
    ORDER BY generation DESC LIMIT 1)
LEFT JOIN external_firing x ON o.generation = 0 AND x.id = o.civil
WHERE a.state = 'granted' AND d.state = 'pending' ORDER BY a.id LIMIT ?

-- name: launching
UPDATE attempt SET state = 'launching', binding = :binding, launched_at = :at WHERE id = :attempt AND state = 'granted'

-- name: claimed
UPDATE delivery SET state = 'claimed' WHERE run = :run AND seq = :delivery AND state = 'pending'

-- name: attempt
-- An attempt with what its settlement needs.
SELECT a.state, a.run, a.delivery, a.nth, a.started_at, a.launched_at, r.invocation, i.occurrence, i.schedule, i.state, i.reason, b.body, d.station
FROM attempt a JOIN run r ON r.id = a.run JOIN invocation i ON i.id = r.invocation
JOIN delivery d ON d.run = a.run AND d.seq = a.delivery LEFT JOIN binding b ON b.id = a.binding WHERE a.id = ?

-- name: cancel_ground
SELECT data ->> 'reason' FROM event WHERE occurrence = ? AND type = 'invocation.cancelling' ORDER BY seq DESC LIMIT 1

-- name: boot
SELECT id FROM boot WHERE boot_id = ? AND machine IS NULL

-- name: new_boot
-- A boot that seemed to be of another machine and is seen here is of this one: its name alone had changed.
INSERT INTO boot (boot_id) VALUES (?) ON CONFLICT (boot_id) DO UPDATE SET machine = NULL RETURNING id

-- name: move_boots
-- What was this machine's is another's now; what was of the machine that it comes to is this one's again.
UPDATE boot SET machine = CASE WHEN machine IS NULL THEN (SELECT machine FROM ledger) WHEN machine = :machine THEN NULL ELSE machine END

-- name: move
UPDATE ledger SET machine = :machine

-- name: running
UPDATE attempt SET state = 'running', started_at = :at, boot = :boot, shim_pid = :shim_pid, shim_ticks = :shim_ticks,
    shim_inode = :shim_inode, pid = :pid, ticks = :ticks, inode = :inode
WHERE id = :attempt AND state = 'launching'

-- name: ended
UPDATE attempt SET state = :state, ended_at = :at, code = :code, signal = :signal, errno = :errno, output_bytes = :output_bytes,
    dropped_bytes = :dropped_bytes
WHERE id = :attempt AND state = :before

-- name: contained
UPDATE attempt SET state = 'contained' WHERE id = :attempt AND state = :before

-- name: delivery
UPDATE delivery SET state = :state WHERE run = :run AND seq = :delivery AND state = :before

-- name: release
UPDATE "grant" SET settled = :how WHERE attempt = :attempt AND settled IS NULL

-- name: invocation
UPDATE invocation SET state = :state, reason = :reason, started_at = ifnull(started_at, :started_at), ended_at = :ended_at
WHERE id = :invocation AND state = :before

-- name: wake_blocked
-- The blocker is settled: what it kept out is looked at again, also by a clock that goes back before anybody looks (WIN-09).
UPDATE occurrence SET wake_at = due_at WHERE schedule = ? AND state = 'pending' AND reason = 'overlap' AND wake_at > due_at

-- name: again
INSERT INTO attempt (run, delivery, nth, state, granted_at) VALUES (:run, :delivery, :nth, 'granted', :at)

-- name: grant
INSERT INTO "grant" (attempt, account, amount) VALUES (:attempt, 'workers', 1)

-- name: proof
INSERT INTO proof (attempt, kind, detail, at, actor) VALUES (:attempt, :kind, :detail, :at, :actor)

-- name: open
-- Every attempt that a dead daemon of this machine may have left. Here no process, boot or status can end what another one holds.
SELECT a.id, a.state, b.boot_id, a.shim_pid, a.shim_ticks, a.shim_inode, a.pid, a.ticks, a.inode
FROM attempt a LEFT JOIN boot b ON b.id = a.boot WHERE a.id IN (
    SELECT a.id FROM invocation i JOIN run r ON r.invocation = i.id JOIN attempt a ON a.run = r.id
    WHERE i.state IN ('queued', 'running', 'suspended', 'cancelling', 'contained'))
    AND a.state IN ('launching', 'running', 'contained')
    AND NOT (a.state = 'contained' AND (b.id IS NULL OR b.machine IS NOT NULL)) ORDER BY a.id

-- name: of_invocation
-- The Invocation and its open attempt, if any.
SELECT i.state, i.reason, i.occurrence, i.schedule, r.id, a.id, a.state, a.delivery
FROM invocation i JOIN run r ON r.invocation = i.id
LEFT JOIN attempt a ON a.run = r.id AND a.state IN ('granted', 'launching', 'running', 'contained') WHERE i.id = ?

-- name: cancelling
-- Attempts whose Invocation was asked to cancel while they run.
SELECT a.id FROM invocation i JOIN run r ON r.invocation = i.id JOIN attempt a ON a.run = r.id
WHERE i.state = 'cancelling' AND a.state IN ('launching', 'running')

-- name: open_invocations
SELECT id FROM invocation WHERE state IN ('queued', 'running', 'cancelling') ORDER BY id

-- name: next_wake
-- The next moment at which a look can change something.
SELECT min(at) FROM (
    SELECT (SELECT next_at FROM schedule WHERE state = 'active' AND next_at IS NOT NULL ORDER BY next_at LIMIT 1) AS at
    UNION ALL
    SELECT (SELECT next_at FROM schedule INDEXED BY schedule_paused WHERE state = 'paused' AND next_at IS NOT NULL ORDER BY next_at LIMIT 1)
    UNION ALL
    SELECT (SELECT p.until_at FROM pause p INDEXED BY pause_until CROSS JOIN schedule s ON s.id = p.schedule
            WHERE p.ended_at IS NULL AND p.until_at IS NOT NULL AND s.state = 'paused' ORDER BY p.until_at LIMIT 1)
    UNION ALL
    SELECT (SELECT wake_at FROM occurrence WHERE state = 'pending' AND wake_at IS NOT NULL ORDER BY wake_at LIMIT 1))
