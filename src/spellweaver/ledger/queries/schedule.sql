-- name: list
-- Every Schedule with the revision in force, else the newest one.
SELECT s.id, s.authority || '/' || s.name, s.state,
    ifnull(s.why, (SELECT p.why FROM pause p WHERE p.schedule = s.id AND p.ended_at IS NULL AND s.state = 'paused')), s.next_at, s.active, r.id, r.number,
    (SELECT max(number) FROM revision WHERE schedule = s.id), p.key || '@' || p.revision,
    r.body ->> '$.class', r.body ->> '$.overlap', r.body ->> '$.calendar.zone', r.body -> '$.calendar.cadence',
    (SELECT p.until_at FROM pause p WHERE p.schedule = s.id AND p.ended_at IS NULL AND s.state = 'paused')
FROM schedule s JOIN revision r ON r.id = ifnull(s.active, (SELECT max(id) FROM revision WHERE schedule = s.id))
JOIN pattern_version p ON p.id = r.pattern
WHERE (:id IS NULL OR s.id = :id) AND (:state IS NULL OR s.state = :state) ORDER BY s.name, s.authority

-- name: named
-- Schedules of a bare name, in whatever authority, or of exactly authority/name.
SELECT id, authority || '/' || name FROM schedule WHERE name = :name AND (:authority IS NULL OR authority = :authority) ORDER BY authority

-- name: names
SELECT authority || '/' || name FROM schedule ORDER BY name, authority

-- name: revisions
-- Every revision, newest first, with when it came into force and when another took its place.
SELECT r.id, r.number, r.generation, r.digest, r.defined_at, p.key || '@' || p.revision,
    (SELECT max(a.decided_at) FROM activation a WHERE a.revision = r.id),
    (SELECT max(a.decided_at) FROM activation a WHERE a.replaced = r.id)
FROM revision r JOIN pattern_version p ON p.id = r.pattern WHERE r.schedule = ? ORDER BY r.number DESC

-- name: facts
-- What is kept of one revision.
SELECT r.number, r.generation, r.digest, r.zone_rules, r.defined_at, r.body, s.settled_to, a.owner, a.generation
FROM revision r JOIN schedule s ON s.id = r.schedule JOIN authority a ON a.name = s.authority WHERE r.id = ?

-- name: reading
-- How a revision reads the clock: its zone, the digest of the kept rules, and whether its firings are named to the minute, to the second
-- or, for every and at, by their instant.
SELECT r.number, s.authority || '/' || s.name, r.body ->> '$.calendar.zone', r.zone_rules,
    CASE WHEN length(cron) - length(replace(cron, ' ', '')) = 5 OR oncalendar NOT LIKE '%:00' OR length(time) = 8
            THEN 'second'
        WHEN coalesce(cron, oncalendar, time) IS NOT NULL THEN 'minute' ELSE 'instant' END
FROM (SELECT *, body ->> '$.calendar.cadence.cron' AS cron, body ->> '$.calendar.cadence.oncalendar' AS oncalendar,
    body ->> '$.calendar.cadence.times[0]' AS time FROM revision) r
JOIN schedule s ON s.id = r.schedule WHERE r.id = ?

-- name: rules
SELECT data FROM zone_rules WHERE digest = ?

-- name: numbered
SELECT id FROM revision WHERE schedule = ? AND number = ?

-- name: in_force
-- The revision that the last activation up to an instant put in force.
SELECT a.revision, r.number FROM activation a JOIN revision r ON r.id = a.revision
WHERE a.schedule = :schedule AND a.begins_at <= :at ORDER BY a.id DESC LIMIT 1

-- name: settled_to
SELECT settled_to FROM schedule WHERE id = ?

-- name: settled
-- Up to which nominal second the firings of each Schedule are on record.
SELECT id, authority || '/' || name, ifnull(settled_to, 0) FROM schedule ORDER BY name, authority

-- name: coming
-- What fires next is asked of: the revision in force and the switch to it, else the newest revision.
SELECT s.id, s.authority || '/' || s.name, s.state,
    ifnull(s.why, (SELECT p.why FROM pause p WHERE p.schedule = s.id AND p.ended_at IS NULL AND s.state = 'paused')),
    (SELECT a.id FROM activation a WHERE a.schedule = s.id AND a.revision = s.active ORDER BY a.id DESC LIMIT 1),
    ifnull(s.active, (SELECT max(id) FROM revision WHERE schedule = s.id))
FROM schedule s WHERE CASE WHEN :id IS NULL THEN s.state <> 'retired' ELSE s.id = :id END ORDER BY s.name, s.authority

-- name: zones
-- The zone rules that active revisions fire by: (zone, digest, kept bytes).
SELECT DISTINCT r.body ->> '$.calendar.zone', r.zone_rules, z.data
FROM schedule s JOIN revision r ON r.id = s.active JOIN zone_rules z ON z.digest = r.zone_rules
WHERE s.state <> 'retired' ORDER BY 1, 2

-- name: of_zone
-- The Schedules whose active revision fires by these.
SELECT s.authority || '/' || s.name FROM schedule s JOIN revision r ON r.id = s.active
WHERE s.state <> 'retired' AND r.body ->> '$.calendar.zone' = ? AND r.zone_rules = ? ORDER BY s.name, s.authority
