-- name: after
-- What was decided since an event, with the Schedule's name.
SELECT e.seq, e.at, e.type, s.authority || '/' || s.name, e.occurrence, e.invocation, e.data
FROM event e LEFT JOIN schedule s ON s.id = e.schedule WHERE e.seq > ? ORDER BY e.seq LIMIT 1000

-- name: head
SELECT ifnull(max(seq), 0) FROM event

-- name: looked
UPDATE ledger SET looked_at = max(looked_at, ?)

-- name: busy
-- Whether anything is open or pending whose moment has come.
SELECT EXISTS (SELECT 1 FROM invocation WHERE state IN ('queued', 'running', 'cancelling'))
    OR EXISTS (SELECT 1 FROM occurrence WHERE state = 'pending')
