-- The invariants of a ledger. Each statement names rows that must not be there; its name is the law that they break.

-- name: one Occurrence for a firing
SELECT schedule, generation, civil, fold FROM occurrence GROUP BY 1, 2, 3, 4 HAVING count(*) > 1

-- name: no firing has both a row and a range
SELECT o.id, r.id FROM occurrence o JOIN firing_range r ON r.schedule = o.schedule AND r.generation = o.generation
WHERE o.nominal_at > r.first_at AND o.nominal_at < r.last_at AND (o.reason = 'gap') = (r.reason = 'gap')

-- name: ranges of a Schedule do not cross
SELECT a.id, b.id FROM firing_range a JOIN firing_range b ON a.schedule = b.schedule AND a.id < b.id
WHERE a.first_at < b.last_at AND b.first_at < a.last_at AND (a.reason = 'gap') = (b.reason = 'gap')

-- name: admitted means an Invocation
SELECT o.id FROM occurrence o LEFT JOIN invocation i ON i.occurrence = o.id WHERE (o.state = 'admitted') <> (i.id IS NOT NULL)

-- name: an Invocation has its Run
SELECT i.id FROM invocation i LEFT JOIN run r ON r.invocation = i.id WHERE r.id IS NULL

-- name: a Run has its first delivery
SELECT r.id FROM run r LEFT JOIN delivery d ON d.run = r.id AND d.seq = 1 WHERE d.run IS NULL

-- name: a delivery has an attempt
SELECT d.run FROM delivery d LEFT JOIN attempt a ON a.run = d.run AND a.delivery = d.seq WHERE a.id IS NULL

-- name: admitted in its window
SELECT id FROM occurrence
WHERE state = 'admitted' AND (decided_at < due_at OR decided_at >= latest_start_at OR decided_at >= finish_by)

-- name: admission and Occurrence tell one time
SELECT i.id FROM invocation i JOIN occurrence o ON o.id = i.occurrence WHERE i.admitted_at <> o.decided_at

-- name: missed at or past a bound
SELECT id FROM occurrence WHERE state = 'missed'
    AND (latest_start_at IS NULL OR decided_at < latest_start_at) AND (finish_by IS NULL OR decided_at < finish_by)

-- name: no fate before the due instant
SELECT id FROM occurrence
WHERE state <> 'pending' AND decided_at < due_at AND reason NOT IN ('cutover', 'operator', 'retired')

-- name: recorded at its nominal or later
SELECT id FROM occurrence WHERE created_at < nominal_at

-- name: jitter in its bound
SELECT id FROM occurrence WHERE due_at < nominal_at OR due_at >= latest_start_at

-- name: forbid admits one at a time
SELECT schedule FROM invocation
WHERE exclusive = 1 AND state IN ('queued', 'running', 'suspended', 'cancelling', 'contained') GROUP BY 1 HAVING count(*) > 1

-- name: what is over has nothing at work
SELECT i.id FROM invocation i JOIN run r ON r.invocation = i.id JOIN attempt a ON a.run = r.id
WHERE i.state IN ('completed', 'failed', 'cancelled', 'timed_out')
    AND a.state IN ('granted', 'launching', 'running', 'contained')

-- name: what is open has one attempt at work
SELECT i.id FROM invocation i WHERE i.state IN ('queued', 'running', 'suspended', 'cancelling', 'contained')
    AND (SELECT count(*) FROM run r JOIN attempt a ON a.run = r.id
         WHERE r.invocation = i.id AND a.state IN ('granted', 'launching', 'running', 'contained')) <> 1

-- name: what works holds one worker and what is over none
SELECT a.id FROM attempt a WHERE (a.state IN ('granted', 'launching', 'running', 'contained'))
    <> (SELECT count(*) FROM "grant" g WHERE g.attempt = a.id AND g.settled IS NULL)

-- name: a settled delivery has nothing at work
SELECT d.run FROM delivery d JOIN attempt a ON a.run = d.run AND a.delivery = d.seq
WHERE d.state = 'settled' AND a.state IN ('granted', 'launching', 'running', 'contained')

-- name: an open one has an open delivery
SELECT d.run FROM delivery d JOIN run r ON r.id = d.run JOIN invocation i ON i.id = r.invocation
WHERE (d.state = 'settled') <> (i.state IN ('completed', 'failed', 'cancelled', 'timed_out'))

-- name: proof belongs to what was ended
SELECT p.attempt FROM proof p JOIN attempt a ON a.id = p.attempt WHERE a.state = 'contained'

-- name: nothing is recorded past the settled mark
SELECT o.id FROM occurrence o JOIN schedule s ON s.id = o.schedule
WHERE o.generation <> 0 AND o.nominal_at / 1000000 > s.settled_to

-- name: an Occurrence has the revision that was in force for its nominal instant when it was stored
WITH switch AS (SELECT schedule, revision, begins_at, row_number() OVER (PARTITION BY schedule ORDER BY id) AS nth FROM activation)
SELECT o.id, o.revision FROM occurrence o WHERE o.generation <> 0 AND o.revision IS NOT (
    SELECT s.revision FROM switch s WHERE s.schedule = o.schedule AND s.begins_at < o.nominal_at AND s.nth <= (
        SELECT count(*) FROM event e WHERE e.type = 'schedule.activated' AND e.schedule = o.schedule
            AND e.seq < (SELECT min(seq) FROM event WHERE occurrence = o.id))
    ORDER BY s.nth DESC LIMIT 1)
    AND NOT EXISTS (SELECT 1 FROM activation a, json_each(a.partition, '$.firings') f WHERE a.schedule = o.schedule
        AND (f.value ->> 0, f.value ->> 1, f.value ->> 2, f.value ->> 5) = (o.generation, o.civil, o.fold, o.revision))

-- name: an outside event has one Occurrence, of the revision that was active
WITH switch AS (SELECT schedule, revision, row_number() OVER (PARTITION BY schedule ORDER BY id) AS nth FROM activation)
SELECT o.id FROM occurrence o LEFT JOIN external_firing x ON x.id = o.civil AND x.schedule = o.schedule
WHERE o.generation = 0 AND (x.id IS NULL OR o.fold <> -1 OR o.nominal_at <> x.received_at OR o.revision IS NOT (
    SELECT s.revision FROM switch s WHERE s.schedule = o.schedule AND s.nth = (
        SELECT count(*) FROM event e WHERE e.type = 'schedule.activated' AND e.schedule = o.schedule
            AND e.seq < (SELECT min(seq) FROM event WHERE occurrence = o.id))))
UNION ALL SELECT x.id FROM external_firing x
WHERE (SELECT count(*) FROM occurrence o WHERE o.schedule = x.schedule AND o.generation = 0 AND o.civil = x.id) <> 1

-- name: a revision is what its digest says
SELECT id FROM revision WHERE digest <> sha256(body)

-- name: an outcome is told in the journal
SELECT o.id, o.state, o.reason FROM occurrence o WHERE NOT (o.state = 'pending' AND o.reason = 'not_yet')
    AND NOT EXISTS (SELECT 1 FROM event e WHERE e.occurrence = o.id AND e.type = 'occurrence.' || o.state
        AND e.data ->> 'reason' = o.reason)

-- name: a range is told in the journal
SELECT r.id FROM firing_range r WHERE NOT EXISTS (SELECT 1 FROM event e WHERE e.schedule = r.schedule
    AND e.type = 'range.' || r.state AND e.data ->> 'range' = r.id AND e.data ->> 'count' = r.count)

-- name: an end is told in the journal
SELECT i.id, i.state, i.reason FROM invocation i WHERE i.ended_at IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM event e WHERE e.invocation = i.id AND e.type = 'invocation.' || i.state
        AND e.data ->> 'reason' = i.reason)

-- name: time goes back only where the journal says so
SELECT seq FROM (SELECT seq, txn, at, lag(at) OVER (ORDER BY seq) AS before FROM event) e
WHERE at < before AND NOT EXISTS (SELECT 1 FROM event c WHERE c.txn = e.txn AND c.type = 'clock_stepped_back')

-- name: foreign keys
SELECT * FROM pragma_foreign_key_check

-- name: the file is whole
SELECT * FROM pragma_integrity_check WHERE integrity_check <> 'ok'
