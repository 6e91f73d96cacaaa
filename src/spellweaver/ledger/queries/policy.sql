-- name: in_force
SELECT generation, body, applied_at, actor FROM policy ORDER BY generation DESC LIMIT 1
