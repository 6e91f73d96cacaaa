-- name: of_occurrence
-- All that the journal says of a firing and of what it led to, in order.
SELECT seq, at, type, invocation, actor, data FROM event WHERE occurrence = ? ORDER BY seq

-- name: of_range
-- What the journal says of a range: the events of the look that made it.
SELECT seq, at, type, invocation, actor, data FROM event WHERE schedule = :schedule AND at = :at AND type = :type ORDER BY seq

-- name: of_revision
SELECT seq, at, type, invocation, actor, data FROM event
WHERE schedule = ? AND type IN ('schedule.defined', 'schedule.activated', 'schedule.stopped') ORDER BY seq
