-- name: facts
-- The machine it was made on, when a scheduler last looked, how often a commit had to be made certain, and the newest event.
SELECT l.machine, l.looked_at, l.fences, (SELECT max(seq) FROM event), (SELECT at FROM event ORDER BY seq DESC LIMIT 1)
FROM ledger l

-- name: machine
SELECT machine FROM ledger

-- name: clock
-- The step of the clock that has not settled.
SELECT before_at, after_at, size_us, opened_at FROM clock_event WHERE closed_at IS NULL

-- name: active
SELECT count(*) FROM schedule WHERE state = 'active'

-- name: stopped
SELECT authority || '/' || name, why FROM schedule WHERE state = 'stopped' ORDER BY 1

-- name: paused
-- Paused ones that no instant resumes.
SELECT s.authority || '/' || s.name, p.begins_at, p.why FROM pause p JOIN schedule s ON s.id = p.schedule
WHERE p.ended_at IS NULL AND p.until_at IS NULL AND s.state = 'paused' ORDER BY 1

-- name: contained
SELECT 'inv_' || i.id, s.authority || '/' || s.name, i.admitted_at
FROM invocation i JOIN schedule s ON s.id = i.schedule WHERE i.state = 'contained' ORDER BY i.id

-- name: over
-- Whether an attempt is over in this ledger.
SELECT 1 FROM attempt WHERE id = ? AND ended_at IS NOT NULL
