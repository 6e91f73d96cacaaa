-- name: running
SELECT i.id, s.authority || '/' || s.name, i.state, ifnull(i.started_at, i.admitted_at)
FROM invocation i JOIN schedule s ON s.id = i.schedule
WHERE i.state IN ('queued', 'running', 'suspended', 'cancelling', 'contained') ORDER BY i.id LIMIT ?

-- name: waiting
SELECT o.id, s.authority || '/' || s.name, o.reason, o.latest_start_at, o.blockers
FROM occurrence o JOIN schedule s ON s.id = o.schedule WHERE o.state = 'pending' ORDER BY o.nominal_at LIMIT ?

-- name: next
SELECT s.authority || '/' || s.name, s.next_at FROM schedule s
WHERE s.state = 'active' AND s.next_at IS NOT NULL ORDER BY s.next_at LIMIT ?

-- name: events
SELECT e.at, e.type, s.authority || '/' || s.name, e.occurrence, e.invocation, e.data ->> 'reason', e.data ->> 'code',
    e.data ->> 'count'
FROM event e LEFT JOIN schedule s ON s.id = e.schedule WHERE e.type NOT IN ('occurrence.stored', 'ledger.made')
ORDER BY e.seq DESC LIMIT ?
