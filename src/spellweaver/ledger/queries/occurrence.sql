-- name: newest
-- The newest firings that fit, rows and ranges. :schedule, :state and :reason filter where they are not null.
SELECT * FROM (
    SELECT * FROM (
        SELECT o.id AS id, o.revision, o.generation, o.civil, o.fold, o.nominal_at AS nominal_at, o.due_at, o.mode, o.state, o.reason, o.class,
            o.not_before, o.latest_start_at, o.finish_by, o.decided_at, o.blockers, i.id,
            NULL AS last_civil, NULL AS last_fold, NULL AS last_at, NULL AS count
        FROM occurrence o LEFT JOIN invocation i ON i.occurrence = o.id
        WHERE (:schedule IS NULL OR o.schedule = :schedule) AND (:state IS NULL OR o.state = :state) AND (:reason IS NULL OR o.reason = :reason)
        ORDER BY o.id DESC LIMIT :limit)
    UNION ALL
    SELECT * FROM (
        SELECT NULL, f.revision, f.generation, f.first_civil, f.first_fold, f.first_at, NULL, NULL, f.state, f.reason, r.body ->> '$.class',
            NULL, NULL, NULL, f.decided_at, NULL, NULL, f.last_civil, f.last_fold, f.last_at, f.count
        FROM firing_range f JOIN revision r ON r.id = f.revision
        WHERE (:schedule IS NULL OR f.schedule = :schedule) AND (:state IS NULL OR f.state = :state) AND (:reason IS NULL OR f.reason = :reason)
        ORDER BY f.id DESC LIMIT :limit)
) ORDER BY ifnull(last_at, nominal_at) DESC, id DESC LIMIT :limit

-- name: one
SELECT o.id, o.revision, o.generation, o.civil, o.fold, o.nominal_at, o.due_at, o.mode, o.state, o.reason, o.class,
    o.not_before, o.latest_start_at, o.finish_by, o.decided_at, o.blockers, i.id, NULL, NULL, NULL, NULL
FROM occurrence o LEFT JOIN invocation i ON i.occurrence = o.id WHERE o.id = ?

-- name: range
SELECT NULL, f.revision, f.generation, f.first_civil, f.first_fold, f.first_at, NULL, NULL, f.state, f.reason, r.body ->> '$.class',
    NULL, NULL, NULL, f.decided_at, NULL, NULL, f.last_civil, f.last_fold, f.last_at, f.count
FROM firing_range f JOIN revision r ON r.id = f.revision WHERE f.id = ?

-- name: pinned
-- What an Occurrence is bound to beside its own columns (OCC-11): what is equal for all firings of a revision stands there.
SELECT o.policy, o.authority, o.created_at, r.digest, r.zone_rules, p.key || '@' || p.revision, p.digest, r.body ->> '$.overlap',
    r.body ->> '$.recovery.misfire_horizon_us', r.body ->> '$.recovery.catch_up', r.body ->> '$.input', r.body ->> '$.labels'
FROM occurrence o JOIN revision r ON r.id = o.revision JOIN pattern_version p ON p.id = r.pattern WHERE o.id = ?

-- name: range_pinned
SELECT NULL, NULL, f.decided_at, r.digest, r.zone_rules, p.key || '@' || p.revision, p.digest, r.body ->> '$.overlap',
    r.body ->> '$.recovery.misfire_horizon_us', r.body ->> '$.recovery.catch_up', r.body ->> '$.input', r.body ->> '$.labels'
FROM firing_range f JOIN revision r ON r.id = f.revision JOIN pattern_version p ON p.id = r.pattern WHERE f.id = ?

-- name: at_civil
-- The rows of one nominal civil second, in every generation.
SELECT id, generation, civil, fold FROM occurrence
WHERE schedule = :schedule AND generation IN (SELECT number FROM calendar_generation WHERE schedule = :schedule) AND civil = :civil
ORDER BY nominal_at

-- name: first_missed
SELECT id FROM occurrence WHERE state = 'missed' ORDER BY id LIMIT 1

-- name: at_key
SELECT id, generation, civil, fold FROM occurrence
WHERE schedule = :schedule AND generation = :generation AND civil = :civil AND fold = :fold

-- name: between
-- The rows of a stretch of civil time.
SELECT id, generation, civil, fold, nominal_at, revision FROM occurrence
WHERE schedule = :schedule AND generation IN (SELECT number FROM calendar_generation WHERE schedule = :schedule)
    AND civil >= :begin AND civil < :end ORDER BY nominal_at

-- name: around
-- Two rows before a civil second and two after it.
SELECT id, civil FROM (SELECT id, civil FROM occurrence WHERE schedule = :schedule
                       AND generation = (SELECT max(number) FROM calendar_generation WHERE schedule = :schedule) AND civil < :civil
                       ORDER BY civil DESC LIMIT 2)
UNION ALL
SELECT id, civil FROM (SELECT id, civil FROM occurrence WHERE schedule = :schedule
                       AND generation = (SELECT max(number) FROM calendar_generation WHERE schedule = :schedule) AND civil > :civil
                       ORDER BY civil LIMIT 2)
ORDER BY civil

-- name: ranges_over
-- Ranges that reach into a stretch of instants, both ends included.
SELECT id, generation FROM firing_range
WHERE schedule = :schedule AND last_at >= :begin AND first_at <= :end ORDER BY first_at

-- name: generations
-- Each generation that was ever in force, with one of its revisions.
SELECT r.generation, max(r.id) FROM activation a JOIN revision r ON r.id = a.revision WHERE a.schedule = ? GROUP BY r.generation ORDER BY r.generation

-- name: revision_of
SELECT revision FROM occurrence WHERE id = ?

-- name: revision_of_range
SELECT revision FROM firing_range WHERE id = ?

-- name: newest_range
SELECT id, generation, last_civil, last_fold, last_at FROM firing_range WHERE schedule = ? ORDER BY last_at DESC LIMIT 1

-- name: newest_row
-- The latest firing with a row. A second showing of a repeated hour has smaller civil seconds than the end of the first, so the hours
-- before the greatest one are looked at again. CROSS JOIN keeps the order of the search.
SELECT o.id, o.generation, o.civil, o.fold, o.nominal_at FROM calendar_generation g
CROSS JOIN occurrence newest ON newest.id = (SELECT n.id FROM occurrence n WHERE n.schedule = g.schedule AND n.generation = g.number
                                       ORDER BY n.civil DESC, n.fold DESC LIMIT 1)
CROSS JOIN occurrence o ON o.schedule = g.schedule AND o.generation = g.number AND o.civil >= newest.civil - CASE newest.fold WHEN 0 THEN 10800 ELSE 0 END
WHERE g.schedule = ? ORDER BY o.nominal_at DESC LIMIT 1

-- name: of_occurrence
SELECT id, generation, civil, fold FROM occurrence WHERE id = ?

-- name: of_invocation
SELECT o.id, o.generation, o.civil, o.fold FROM invocation i JOIN occurrence o ON o.id = i.occurrence WHERE i.id = ?

-- name: of_run
SELECT o.id, o.generation, o.civil, o.fold FROM run JOIN invocation i ON i.id = run.invocation JOIN occurrence o ON o.id = i.occurrence
WHERE run.id = ?

-- name: of_attempt
SELECT o.id, o.generation, o.civil, o.fold FROM attempt a JOIN run ON run.id = a.run JOIN invocation i ON i.id = run.invocation
JOIN occurrence o ON o.id = i.occurrence WHERE a.id = ?

-- name: of_event
SELECT o.id, o.generation, o.civil, o.fold FROM event e JOIN occurrence o ON o.id = e.occurrence WHERE e.seq = ?

-- name: span
-- Every firing of some Schedules whose time from nominal instant to end meets a span, in the order of nominal instants: the columns of
-- newest, then when the run began and ended, its state and its reason.
SELECT f.* FROM json_each(:schedules) s JOIN (
    SELECT o.id AS id, o.revision, o.generation, o.civil, o.fold AS fold, o.nominal_at AS nominal_at, o.due_at, o.mode, o.state, o.reason, o.class,
        o.not_before, o.latest_start_at, o.finish_by, o.decided_at, o.blockers, i.id,
        NULL, NULL, NULL AS last_at, NULL, i.started_at, i.ended_at, i.state, i.reason, o.schedule AS schedule
    FROM occurrence o LEFT JOIN invocation i ON i.occurrence = o.id
    WHERE o.nominal_at <= :until AND coalesce(i.ended_at, o.decided_at, :until) >= :from
    UNION ALL
    SELECT NULL, f.revision, f.generation, f.first_civil, f.first_fold, f.first_at, NULL, NULL, f.state, f.reason, r.body ->> '$.class',
        NULL, NULL, NULL, f.decided_at, NULL, NULL,
        f.last_civil, f.last_fold, f.last_at, f.count, NULL, NULL, NULL, NULL, f.schedule
    FROM firing_range f JOIN revision r ON r.id = f.revision WHERE f.first_at <= :until AND f.last_at >= :from
) f ON f.schedule = s.value ORDER BY f.nominal_at, f.schedule, f.fold
