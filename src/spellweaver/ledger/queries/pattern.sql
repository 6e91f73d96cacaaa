-- name: list
-- Every version, and how many active Schedules are pinned to it.
SELECT p.id, p.key, p.revision, p.digest, p.defined_at, json_array_length(CAST(p.snapshot AS TEXT), '$.stations'),
    (SELECT count(*) FROM schedule s JOIN revision r ON r.id = s.active WHERE r.pattern = p.id)
FROM pattern_version p ORDER BY p.key, p.id

-- name: named
SELECT id, revision FROM pattern_version WHERE key = :key AND (:revision IS NULL OR revision = :revision) ORDER BY id

-- name: names
SELECT key || '@' || revision FROM pattern_version ORDER BY key, id

-- name: one
SELECT id, key, revision, digest, snapshot, defined_at FROM pattern_version WHERE id = ?

-- name: bindings
-- The binding in force of each station: the newest generation.
SELECT station, generation, digest, body, bound_at FROM binding b
WHERE pattern_key = :key AND pattern_revision = :revision AND generation = (
    SELECT max(generation) FROM binding n WHERE n.pattern_key = :key AND n.pattern_revision = :revision AND n.station = b.station)
ORDER BY station

-- name: schedules
SELECT s.authority || '/' || s.name || '@' || r.number, s.active = r.id FROM revision r JOIN schedule s ON s.id = r.schedule
WHERE r.pattern = ? ORDER BY s.name, s.authority, r.number
