-- name: left_running
-- What a copied ledger has running, with what a script goes by.
SELECT a.id, s.authority || '/' || s.name, o.nominal_at, p.key || '@' || p.revision, d.station, b.body, a.started_at
FROM invocation i JOIN occurrence o ON o.id = i.occurrence JOIN schedule s ON s.id = i.schedule
JOIN run r ON r.invocation = i.id JOIN pattern_version p ON p.id = r.pattern
JOIN delivery d ON d.run = r.id JOIN attempt a ON a.run = r.id AND a.delivery = d.seq JOIN binding b ON b.id = a.binding
WHERE i.state IN ('queued', 'running', 'suspended', 'cancelling', 'contained') AND a.state = 'running'

-- name: next_pending
-- The next moment of a pending firing, whatever the calendars say.
SELECT wake_at FROM occurrence WHERE state = 'pending' AND wake_at IS NOT NULL ORDER BY wake_at LIMIT 1

-- name: mark
-- Where a ledger stands: its last row of each kind, its last instant, and the firings that still wait for their outcome.
SELECT (SELECT ifnull(max(id), 0) FROM occurrence), (SELECT ifnull(max(id), 0) FROM firing_range),
    (SELECT at FROM event ORDER BY seq DESC LIMIT 1),
    (SELECT json_group_array(id) FROM occurrence WHERE state = 'pending')

-- name: patterns
SELECT snapshot FROM pattern_version ORDER BY id

-- name: since
-- Every firing that was stored or decided after a mark, in the order of nominal instants, each with its run: the columns of
-- occurrence.sql, then when the run began and ended, its state and its reason.
SELECT f.* FROM (
    SELECT o.id AS id, o.revision, o.generation, o.civil, o.fold AS fold, o.nominal_at AS nominal_at, o.due_at, o.mode, o.state, o.reason, o.class,
        o.not_before, o.latest_start_at, o.finish_by, o.decided_at, o.blockers, i.id,
        NULL, NULL, NULL, NULL, i.started_at, i.ended_at, i.state, i.reason, o.schedule AS schedule
    FROM occurrence o LEFT JOIN invocation i ON i.occurrence = o.id
    WHERE o.id > :occurrence OR o.id IN (SELECT value FROM json_each(:pending))
    UNION ALL
    SELECT NULL, f.revision, f.generation, f.first_civil, f.first_fold, f.first_at, NULL, NULL, f.state, f.reason, r.body ->> '$.class',
        NULL, NULL, NULL, f.decided_at, NULL, NULL,
        f.last_civil, f.last_fold, f.last_at, f.count, NULL, NULL, NULL, NULL, f.schedule
    FROM firing_range f JOIN revision r ON r.id = f.revision WHERE f.id > :range
) f JOIN schedule s ON s.id = f.schedule ORDER BY f.nominal_at, s.name, s.authority, f.fold, f.civil
