-- name: schedules
-- Bare names where one authority has them, whole ones where several do or where a slash was typed. :like is a GLOB pattern.
WITH many AS (SELECT name FROM schedule GROUP BY name HAVING count(*) > 1)
SELECT word FROM (
    SELECT name AS word FROM schedule WHERE name NOT IN many
    UNION SELECT authority || '/' || name FROM schedule WHERE name IN many OR instr(:like, '/'))
WHERE word GLOB :like ORDER BY word LIMIT :most

-- name: patterns
SELECT word FROM (SELECT key || '@' || revision AS word FROM pattern_version) WHERE word GLOB :like ORDER BY word LIMIT :most

-- name: occurrences
-- The newest alone: a shell can't show more, and the whole table would take too long for a TAB.
SELECT word FROM (SELECT id, 'occ_' || id AS word FROM (SELECT id FROM occurrence ORDER BY id DESC LIMIT 1000))
WHERE word GLOB :like ORDER BY id DESC LIMIT :most

-- name: invocations
SELECT word FROM (SELECT id, 'inv_' || id AS word FROM (SELECT id FROM invocation ORDER BY id DESC LIMIT 1000))
WHERE word GLOB :like ORDER BY id DESC LIMIT :most

-- name: references
-- What explain and logs take: the latest firing of each Schedule, then the newest ids.
SELECT word FROM (
    SELECT 0 AS sort, 0 AS id, word FROM (SELECT name || '@latest' AS word FROM schedule GROUP BY name HAVING count(*) = 1)
    UNION ALL SELECT 1, id, 'occ_' || id FROM (SELECT id FROM occurrence ORDER BY id DESC LIMIT 100)
    UNION ALL SELECT 2, id, 'inv_' || id FROM (SELECT id FROM invocation ORDER BY id DESC LIMIT 100))
WHERE word GLOB :like ORDER BY sort, id DESC, word LIMIT :most
