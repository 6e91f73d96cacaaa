-- name: of_occurrence
-- All that the journal says of a firing and of what it led to, in order.
SELECT seq, at, type, invocation, actor, data FROM event WHERE occurrence = ? ORDER BY seq

-- name: of_range
-- What the journal says of a range: one event, written by the look that made it.
SELECT seq, at, type, invocation, actor, data FROM event
WHERE type = 'range.' || :state AND schedule = :schedule AND at = :at AND data ->> '$.range' = :id

-- name: range
SELECT schedule, state, decided_at FROM firing_range WHERE id = ?

-- name: revision_of_generation
-- A revision of a generation, of the Schedule that an Occurrence is of.
SELECT max(r.id) FROM occurrence o JOIN revision r ON r.schedule = o.schedule WHERE o.id = ? AND r.generation = ?
