-- name: pattern
SELECT id, digest, snapshot FROM pattern_version WHERE key = ? AND revision = ?

-- name: new_pattern
INSERT INTO pattern_version (key, revision, digest, snapshot, defined_at) VALUES (:key, :revision, :digest, :snapshot, :at)

-- name: pattern_revisions
SELECT revision FROM pattern_version WHERE key = ? ORDER BY id

-- name: schedule
SELECT id, state, active, settled_to FROM schedule WHERE authority = ? AND name = ?

-- name: next_at
SELECT next_at FROM schedule WHERE id = ?

-- name: named
-- Every authority that has a Schedule of this name.
SELECT id, authority FROM schedule WHERE name = ? ORDER BY authority

-- name: names
SELECT authority, name FROM schedule ORDER BY name, authority LIMIT 500

-- name: new_schedule
INSERT INTO schedule (authority, name, state) VALUES (?, ?, 'defined')

-- name: new_authority
INSERT INTO authority (name, generation, owner) VALUES (?, 1, ?) ON CONFLICT DO NOTHING

-- name: revisions
SELECT id, number, digest, body FROM revision WHERE schedule = ? ORDER BY number

-- name: same_revision
SELECT number FROM revision WHERE schedule = ? AND digest = ?

-- name: newest_revision
SELECT id, number, digest, body FROM revision WHERE schedule = ? ORDER BY number DESC LIMIT 1

-- name: new_revision
INSERT INTO revision (schedule, number, generation, pattern, zone_rules, digest, body, defined_at)
VALUES (:schedule, :number, :generation, :pattern, :zone_rules, :digest, :body, :at)

-- name: generation
SELECT number FROM calendar_generation WHERE schedule = ? AND interpretation = ?

-- name: last_generation
SELECT ifnull(max(number), 0) FROM calendar_generation WHERE schedule = ?

-- name: new_generation
INSERT INTO calendar_generation (schedule, number, interpretation) VALUES (?, ?, ?)

-- name: keep_rules
INSERT INTO zone_rules (digest, data) VALUES (?, ?) ON CONFLICT DO NOTHING

-- name: kept_rules
SELECT 1 FROM zone_rules WHERE digest = ?

-- name: body
SELECT body, generation FROM revision WHERE id = ?

-- name: binding
SELECT digest FROM binding WHERE pattern_key = ? AND pattern_revision = ? AND station = ? ORDER BY generation DESC LIMIT 1

-- name: last_binding_generation
SELECT ifnull(max(generation), 0) FROM binding

-- name: new_binding
INSERT INTO binding (generation, pattern_key, pattern_revision, station, digest, body, bound_at)
VALUES (:generation, :key, :revision, :station, :digest, :body, :at)

-- name: activation
INSERT INTO activation (schedule, revision, replaced, decided_at, begins_at, partition)
VALUES (:schedule, :revision, :replaced, :at, :begins_at, :partition)

-- name: first_activated
UPDATE schedule SET state = 'active', active = :revision, settled_to = :settled_to, next_at = :next_at, why = NULL
WHERE id = :schedule AND state = 'defined'

-- name: switched
-- A pause outlives it; what had stopped goes on.
UPDATE schedule SET active = :revision, next_at = :next_at, why = NULL,
    state = CASE WHEN EXISTS (SELECT 1 FROM pause WHERE schedule = :schedule AND ended_at IS NULL) THEN 'paused' ELSE 'active' END
WHERE id = :schedule AND active = :replaced

-- name: wake_stopped
-- The Schedule goes on: what it kept back is looked at again.
UPDATE occurrence SET wake_at = :at WHERE schedule = :schedule AND state = 'pending' AND reason = 'stopped'

-- name: new_policy
INSERT INTO policy (generation, body, applied_at, actor) VALUES (:generation, :body, :at, :actor)

-- name: account
INSERT INTO account (name, capacity) VALUES (:name, :capacity) ON CONFLICT (name) DO UPDATE SET capacity = excluded.capacity
