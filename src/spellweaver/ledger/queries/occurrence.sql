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

-- name: at_civil
-- The rows of one nominal civil second, in every generation.
SELECT id, generation, civil, fold FROM occurrence WHERE schedule = :schedule AND generation IN (SELECT number FROM calendar_generation WHERE schedule = :schedule)
    AND civil = :civil ORDER BY nominal_at

-- name: between
-- The rows of a stretch of civil time.
SELECT id, revision, generation, civil, fold FROM occurrence
WHERE schedule = :schedule AND generation IN (SELECT number FROM calendar_generation WHERE schedule = :schedule)
    AND civil >= :begin AND civil < :end ORDER BY nominal_at LIMIT :limit

-- name: ranges_over
-- Ranges that reach into a stretch of instants.
SELECT id, revision, generation FROM firing_range WHERE schedule = :schedule AND last_at >= :begin AND first_at <= :end ORDER BY first_at

-- name: newest_range
SELECT id, last_at FROM firing_range WHERE schedule = ? ORDER BY last_at DESC LIMIT 1

-- name: newest_row
SELECT o.id, o.nominal_at FROM calendar_generation g
JOIN occurrence newest ON newest.id = (SELECT n.id FROM occurrence n WHERE n.schedule = g.schedule AND n.generation = g.number
                                       ORDER BY n.civil DESC, n.fold DESC LIMIT 1)
JOIN occurrence o ON o.schedule = g.schedule AND o.generation = g.number AND o.civil >= newest.civil - CASE newest.fold WHEN 0 THEN 10800 ELSE 0 END
WHERE g.schedule = ? ORDER BY o.nominal_at DESC LIMIT 1
