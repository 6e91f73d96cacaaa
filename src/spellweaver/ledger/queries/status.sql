-- name: schedules
-- Every Schedule that is not retired, with the newest firing that has a row and the newest range. A later showing of a repeated hour has a smaller civil
-- second than the last of the first showing, so the three hours before that are looked at again. CROSS JOIN keeps the order of the search.
SELECT s.id, s.authority || '/' || s.name, s.state,
    ifnull(s.why, (SELECT p.why FROM pause p WHERE p.schedule = s.id AND p.ended_at IS NULL AND s.state = 'paused')), s.next_at, s.active,
    (SELECT o.id FROM calendar_generation g
     CROSS JOIN occurrence newest ON newest.id = (SELECT n.id FROM occurrence n WHERE n.schedule = g.schedule AND n.generation = g.number
                                            ORDER BY n.civil DESC, n.fold DESC LIMIT 1)
     CROSS JOIN occurrence o ON o.schedule = g.schedule AND o.generation = g.number
         AND o.civil >= newest.civil - CASE newest.fold WHEN 0 THEN 10800 ELSE 0 END
     WHERE g.schedule = s.id ORDER BY o.nominal_at DESC LIMIT 1),
    (SELECT f.id FROM firing_range f WHERE f.schedule = s.id ORDER BY f.last_at DESC LIMIT 1),
    (SELECT p.until_at FROM pause p WHERE p.schedule = s.id AND p.ended_at IS NULL AND s.state = 'paused')
FROM schedule s WHERE s.state <> 'retired'

-- name: occurrence
-- The outcome of one firing, and of what it led to.
SELECT o.revision, o.generation, o.civil, o.fold, o.nominal_at, o.state, o.reason, o.blockers,
    i.id, i.state, i.reason, i.started_at, i.ended_at,
    (SELECT a.code FROM run JOIN attempt a ON a.run = run.id WHERE run.invocation = i.id ORDER BY a.id DESC LIMIT 1),
    (SELECT a.signal FROM run JOIN attempt a ON a.run = run.id WHERE run.invocation = i.id ORDER BY a.id DESC LIMIT 1)
FROM occurrence o LEFT JOIN invocation i ON i.occurrence = o.id WHERE o.id = ?

-- name: range
SELECT revision, generation, last_civil, last_fold, last_at, state, reason, count FROM firing_range WHERE id = ?

-- name: created_at
-- Rows are numbered in the order of their creation, so the first of the last day is found by halving.
SELECT created_at FROM occurrence WHERE id = ?

-- name: last_occurrence
SELECT ifnull(max(id), 0) FROM occurrence

-- name: shares
-- What became of the firings of the last day: (schedule, skipped, all). A range that began earlier counts by the part that lies inside.
SELECT schedule, sum(skipped), sum(firings) FROM (
    SELECT schedule, (state = 'skipped') AS skipped, 1 AS firings FROM occurrence WHERE id >= :first AND nominal_at > :since
    UNION ALL
    SELECT schedule, (state = 'skipped') * part, part FROM (
        SELECT f.schedule, f.state, CASE WHEN f.first_at > :since THEN f.count
            ELSE 1 + (f.count - 1) * (f.last_at - :since) / max(1, f.last_at - f.first_at) END AS part
        FROM schedule s JOIN firing_range f ON f.schedule = s.id AND f.last_at > :since)
) GROUP BY schedule

-- name: waits
-- What is not settled and waits for something: pending firings by their obstacle, then open Invocations that do not simply run.
SELECT 'occ_' || o.id, s.authority || '/' || s.name, o.state, o.reason, o.created_at, o.latest_start_at, o.blockers, o.revision
FROM occurrence o JOIN schedule s ON s.id = o.schedule WHERE o.state = 'pending' AND o.reason <> 'not_yet'
UNION ALL
SELECT 'inv_' || i.id, s.authority || '/' || s.name, i.state, i.reason, i.admitted_at, NULL, NULL, o.revision
FROM invocation i JOIN schedule s ON s.id = i.schedule JOIN occurrence o ON o.id = i.occurrence
WHERE i.state IN ('queued', 'suspended', 'cancelling', 'contained')
ORDER BY 5

-- name: running
SELECT count(*) FROM invocation WHERE state = 'running'

-- name: lock
-- The fields of a lock file, from its text.
SELECT t ->> 'pid', t ->> 'start_ticks', t ->> 'boot_id', t ->> 'socket', t ->> 'started_at', t ->> 'program'
FROM (SELECT :text AS t) WHERE json_valid(:text)
