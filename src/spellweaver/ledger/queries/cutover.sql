-- name: switches
-- The activations of a Schedule, the latest first.
SELECT id FROM activation WHERE schedule = ? ORDER BY id DESC

-- name: partitions
-- What cutovers have said of firings so far, the latest first.
SELECT partition FROM activation WHERE schedule = ? AND partition ->> '$.kind' = 'cutover' ORDER BY id DESC

-- name: of_revision
-- The latest cutover to a revision.
SELECT partition ->> '$.digest' FROM activation
WHERE schedule = ? AND revision = ? AND partition ->> '$.kind' = 'cutover' ORDER BY id DESC LIMIT 1

-- name: revision_of_generation
SELECT max(id) FROM revision WHERE schedule = ? AND generation = ?

-- name: on_record
-- The revision whose firing it is: a row, or a range that takes it in. Missing times and what comes lie in ranges apart.
SELECT revision FROM occurrence WHERE schedule = :schedule AND generation = :generation AND civil = :civil AND fold = :fold
UNION ALL
SELECT revision FROM firing_range WHERE schedule = :schedule AND generation = :generation AND first_at <= :at AND last_at >= :at
    AND (reason = 'cutover' OR (reason = 'gap') = :missing)

-- name: recent
-- The last rows before an instant, the newest first; found by their civil seconds, which no zone moves by more than 26 hours.
SELECT generation, civil, fold FROM occurrence WHERE schedule = :schedule AND generation = :generation
    AND civil BETWEEN :after / 1000000 - 93600 AND :until / 1000000 + 93600 AND nominal_at > :after AND nominal_at <= :until
ORDER BY nominal_at DESC LIMIT :limit

-- name: latest
-- The last cutover, and when it was decided.
SELECT partition, decided_at FROM activation WHERE schedule = ? AND partition ->> '$.kind' = 'cutover' ORDER BY id DESC LIMIT 1
