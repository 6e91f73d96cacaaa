-- name: newest
-- The newest Invocations that fit, or the one with a row number. :schedule, :state and :id filter where they are not null.
SELECT i.id, i.occurrence, i.schedule, s.authority || '/' || s.name, p.key || '@' || p.revision, i.state, i.reason, i.disposition,
    i.admitted_at, i.started_at, i.ended_at, last.code, last.signal, (SELECT count(*) FROM attempt a WHERE a.run = run.id), last.id, o.revision
FROM invocation i JOIN schedule s ON s.id = i.schedule JOIN run ON run.invocation = i.id JOIN pattern_version p ON p.id = run.pattern
JOIN occurrence o ON o.id = i.occurrence
LEFT JOIN attempt last ON last.id = (SELECT max(id) FROM attempt WHERE run = run.id)
WHERE i.id BETWEEN ifnull(:id, 0) AND ifnull(:id, 9223372036854775807) AND (:schedule IS NULL OR i.schedule = :schedule)
    AND (:state IS NULL OR i.state = :state)
ORDER BY i.id DESC LIMIT :limit

-- name: attempts
-- Every try of an Invocation's stations, in order.
SELECT a.id, d.station, a.nth, a.state, a.granted_at, a.launched_at, a.started_at, a.ended_at, a.code, a.signal, a.errno, a.output_bytes,
    a.dropped_bytes, a.pid, b.body, b.digest, p.kind, p.detail, p.at, p.actor
FROM run JOIN attempt a ON a.run = run.id JOIN delivery d ON d.run = a.run AND d.seq = a.delivery
LEFT JOIN binding b ON b.id = a.binding LEFT JOIN proof p ON p.attempt = a.id
WHERE run.invocation = ? ORDER BY a.id

-- name: of_occurrence
SELECT id FROM invocation WHERE occurrence = ?

-- name: revision_of
SELECT o.revision FROM invocation i JOIN occurrence o ON o.id = i.occurrence WHERE i.id = ?
