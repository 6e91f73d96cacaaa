-- name: open
SELECT id, before_at, after_at, size_us, opened_at FROM clock_event WHERE closed_at IS NULL

-- name: stepped
INSERT INTO clock_event (before_at, after_at, size_us, opened_at) VALUES (:before_at, :after_at, :size_us, :after_at)

-- name: settled
UPDATE clock_event SET closed_at = :at WHERE id = :id AND closed_at IS NULL

-- name: held
-- What waited for something else waits for the clock now; a window that is over already is not the clock's doing.
UPDATE occurrence SET reason = 'clock_settling' WHERE state = 'pending' AND reason IN ('overlap', 'capacity') AND due_at <= :at
    AND latest_start_at > :at

-- name: passed
-- Bounds that passed while the clock settled.
UPDATE occurrence SET reason = 'clock_settling' WHERE state = 'pending' AND reason = 'not_yet' AND due_at <= :at
    AND latest_start_at <= :at AND latest_start_at > :opened_at

-- name: released
UPDATE occurrence SET wake_at = due_at WHERE state = 'pending' AND reason = 'clock_settling'
