-- name: list
SELECT s.id, s.authority || '/' || s.name, s.state, s.why, s.next_at, ifnull(s.active, (SELECT max(id) FROM revision WHERE schedule = s.id)),
    s.active, (SELECT max(number) FROM revision WHERE schedule = s.id)
FROM schedule s ORDER BY s.name, s.authority

-- name: named
-- Schedules of a bare name, in whatever authority, or of exactly authority/name.
SELECT id, authority || '/' || name FROM schedule WHERE name = :name AND (:authority IS NULL OR authority = :authority) ORDER BY authority

-- name: names
SELECT authority || '/' || name FROM schedule ORDER BY name, authority

-- name: one
SELECT s.id, s.authority || '/' || s.name, s.state, s.why, s.next_at, s.active, s.settled_to, a.owner, a.generation
FROM schedule s JOIN authority a ON a.name = s.authority WHERE s.id = ?

-- name: revisions
-- Every revision, newest first, with when it came into force and when it was replaced.
SELECT r.id, r.number, r.generation, r.digest, r.defined_at, p.key || '@' || p.revision,
    (SELECT max(a.decided_at) FROM activation a WHERE a.revision = r.id),
    (SELECT max(a.decided_at) FROM activation a WHERE a.replaced = r.id)
FROM revision r JOIN pattern_version p ON p.id = r.pattern WHERE r.schedule = ? ORDER BY r.number DESC

-- name: body
-- The definition of a revision as it is kept, and a few fields of it.
SELECT r.body, r.digest, r.number, r.generation FROM revision r WHERE r.id = ?

-- name: reading
-- How a revision reads the clock: its zone, the digest of the kept rules, and whether its firings are named to the minute, to the second
-- or, for every and at, by their instant.
SELECT r.number, s.authority || '/' || s.name, r.body ->> '$.calendar.zone', r.zone_rules,
    CASE WHEN cron IS NULL THEN 'instant' WHEN length(cron) - length(replace(cron, ' ', '')) = 5 THEN 'second' ELSE 'minute' END
FROM (SELECT *, body ->> '$.calendar.cadence.cron' AS cron FROM revision) r JOIN schedule s ON s.id = r.schedule WHERE r.id = ?

-- name: rules
SELECT data FROM zone_rules WHERE digest = ?

-- name: numbered
SELECT id FROM revision WHERE schedule = ? AND number = ?

-- name: activations
SELECT a.decided_at, a.begins_at, r.number, (SELECT number FROM revision WHERE id = a.replaced)
FROM activation a JOIN revision r ON r.id = a.revision WHERE a.schedule = ? ORDER BY a.id

-- name: settled_to
SELECT settled_to FROM schedule WHERE id = ?
