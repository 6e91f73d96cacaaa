-- name: of
-- The pauses that reach into what is not settled yet. :schedules is a JSON list of row numbers.
SELECT p.id, p.schedule, p.begins_at, p.until_at, p.ended_at FROM schedule s JOIN pause p ON p.schedule = s.id
WHERE s.id IN (SELECT value FROM json_each(:schedules)) AND (p.ended_at IS NULL OR p.ended_at > s.settled_to * 1000000)
ORDER BY p.id

-- name: open
SELECT id, begins_at, until_at, why FROM pause WHERE schedule = ? AND ended_at IS NULL

-- name: begin
INSERT INTO pause (schedule, begins_at, until_at, why) VALUES (:schedule, :at, :until_at, :why)

-- name: paused
UPDATE schedule SET state = 'paused' WHERE id = ? AND state = 'active'

-- name: ask
-- What waits is asked again, and then says that the pause keeps it back.
UPDATE occurrence SET wake_at = :at WHERE schedule = :schedule AND state = 'pending' AND due_at <= :at

-- name: anew
UPDATE pause SET until_at = :until_at, why = :why WHERE id = :id AND ended_at IS NULL

-- name: end
UPDATE pause SET ended_at = :ended_at WHERE id = :id AND ended_at IS NULL

-- name: resumed
-- The calendar is looked at again from the mark on.
UPDATE schedule SET state = 'active', next_at = :next_at WHERE id = :schedule AND state = 'paused'

-- name: wake
UPDATE occurrence SET wake_at = :at WHERE schedule = :schedule AND state = 'pending' AND reason = 'paused'
