-- The ledger. Instants are whole microseconds since 1970-01-01T00:00:00Z; civil times are seconds as the wall clock shows them.
-- What the database can hold of the law, it holds: UNIQUE is identity, CHECK is the closed word, a trigger is what never changes.

-- One row: which ledger this is, on which machine it was made, when a scheduler last looked at it. fences counts the commits whose
-- outcome had to be made certain; mark is the random sign of the last commit that changed rows and recorded no event.
CREATE TABLE ledger (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    id TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('real', 'simulated')),
    machine TEXT NOT NULL,
    made_at INTEGER NOT NULL,
    looked_at INTEGER NOT NULL,
    fences INTEGER NOT NULL,
    mark INTEGER NOT NULL
) STRICT;
CREATE TRIGGER ledger_named BEFORE UPDATE OF one, id, made_at ON ledger BEGIN SELECT RAISE(ABORT, 'ledger: its identity never changes'); END;
CREATE TRIGGER ledger_kept BEFORE DELETE ON ledger BEGIN SELECT RAISE(ABORT, 'ledger: its identity never goes'); END;

-- One row: one thing that happened, chained by hash = SHA-256(previous hash, canonical JSON of the row). Append-only.
-- txn is the seq of the first event of the same transaction.
CREATE TABLE event (
    seq INTEGER PRIMARY KEY,
    txn INTEGER NOT NULL,
    at INTEGER NOT NULL,
    type TEXT NOT NULL,
    schedule INTEGER,
    occurrence INTEGER,
    invocation INTEGER,
    actor TEXT NOT NULL,
    data TEXT NOT NULL,
    hash BLOB NOT NULL CHECK (length(hash) = 32)
) STRICT;
CREATE INDEX event_of_occurrence ON event (occurrence) WHERE occurrence IS NOT NULL;
CREATE TRIGGER event_unchanged BEFORE UPDATE ON event BEGIN SELECT RAISE(ABORT, 'event: never changes'); END;
CREATE TRIGGER event_kept BEFORE DELETE ON event BEGIN SELECT RAISE(ABORT, 'event: never goes'); END;
CREATE TRIGGER event_follows BEFORE INSERT ON event WHEN NEW.seq <> ifnull((SELECT max(seq) FROM event), 0) + 1
BEGIN SELECT RAISE(ABORT, 'event: seq has a gap'); END;

-- One row: the host policy as of one generation.
CREATE TABLE policy (
    generation INTEGER PRIMARY KEY,
    body TEXT NOT NULL,
    applied_at INTEGER NOT NULL,
    actor TEXT NOT NULL
) STRICT;
CREATE TRIGGER policy_unchanged BEFORE UPDATE ON policy BEGIN SELECT RAISE(ABORT, 'policy: a generation never changes'); END;
CREATE TRIGGER policy_kept BEFORE DELETE ON policy BEGIN SELECT RAISE(ABORT, 'policy: a generation never goes'); END;

-- One row: something that runs hold a share of while they go on. In use is the sum of its unsettled grants.
CREATE TABLE account (
    name TEXT PRIMARY KEY,
    capacity INTEGER NOT NULL CHECK (capacity >= 0)
) STRICT, WITHOUT ROWID;

-- One row: who Schedules belong to.
CREATE TABLE authority (
    name TEXT PRIMARY KEY,
    generation INTEGER NOT NULL CHECK (generation >= 1),
    owner TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- One row: compiled zone rules (TZif bytes), kept by their SHA-256 (CAL-04).
CREATE TABLE zone_rules (
    digest BLOB PRIMARY KEY CHECK (length(digest) = 32),
    data BLOB NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER zone_rules_unchanged BEFORE UPDATE ON zone_rules BEGIN SELECT RAISE(ABORT, 'zone rules: kept as they are'); END;
CREATE TRIGGER zone_rules_kept BEFORE DELETE ON zone_rules BEGIN SELECT RAISE(ABORT, 'zone rules: kept for good'); END;

-- One row: an immutable workflow version; snapshot is its canonical form (C4), digest the SHA-256 of that.
CREATE TABLE pattern_version (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    revision TEXT NOT NULL,
    digest TEXT NOT NULL CHECK (length(digest) = 64),
    snapshot BLOB NOT NULL,
    defined_at INTEGER NOT NULL,
    UNIQUE (key, revision)
) STRICT;
CREATE TRIGGER pattern_unchanged BEFORE UPDATE ON pattern_version BEGIN SELECT RAISE(ABORT, 'pattern: a version is never rewritten'); END;
CREATE TRIGGER pattern_kept BEFORE DELETE ON pattern_version BEGIN SELECT RAISE(ABORT, 'pattern: a version never goes'); END;

-- One row: how a station is done on this host, from one binding generation on. The newest generation of a station is in force.
CREATE TABLE binding (
    id INTEGER PRIMARY KEY,
    generation INTEGER NOT NULL,
    pattern_key TEXT NOT NULL,
    pattern_revision TEXT NOT NULL,
    station TEXT NOT NULL,
    digest TEXT NOT NULL CHECK (length(digest) = 64),
    body TEXT NOT NULL,
    bound_at INTEGER NOT NULL,
    UNIQUE (pattern_key, pattern_revision, station, generation)
) STRICT;
CREATE TRIGGER binding_unchanged BEFORE UPDATE ON binding BEGIN SELECT RAISE(ABORT, 'binding: a generation never changes'); END;
CREATE TRIGGER binding_kept BEFORE DELETE ON binding BEGIN SELECT RAISE(ABORT, 'binding: a generation never goes'); END;

-- One row: a Schedule, whatever its revisions. settled_to is the last nominal second whose firings all have a fate (OCC-15);
-- next_at the instant of the next candidate, firing or gap. why says what stopped it (CAL-06).
CREATE TABLE schedule (
    id INTEGER PRIMARY KEY,
    authority TEXT NOT NULL REFERENCES authority (name),
    name TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('defined', 'active', 'paused', 'stopped', 'retired')),
    active INTEGER REFERENCES revision (id),
    settled_to INTEGER,
    next_at INTEGER,
    why TEXT,
    UNIQUE (name, authority),
    CHECK (state = 'defined' OR state = 'retired' OR (active IS NOT NULL AND settled_to IS NOT NULL))
) STRICT;
CREATE INDEX schedule_due ON schedule (next_at) WHERE state = 'active' AND next_at IS NOT NULL;
CREATE TRIGGER schedule_named BEFORE UPDATE OF id, authority, name ON schedule
BEGIN SELECT RAISE(ABORT, 'schedule: its name never changes'); END;
CREATE TRIGGER schedule_kept BEFORE DELETE ON schedule BEGIN SELECT RAISE(ABORT, 'schedule: its name never goes'); END;
CREATE TRIGGER schedule_moves BEFORE UPDATE OF state ON schedule WHEN NEW.state <> OLD.state AND NOT CASE OLD.state
    WHEN 'defined' THEN NEW.state IN ('active', 'retired')
    WHEN 'active' THEN NEW.state IN ('paused', 'stopped', 'retired')
    WHEN 'paused' THEN NEW.state IN ('active', 'stopped', 'retired')
    WHEN 'stopped' THEN NEW.state IN ('active', 'paused', 'retired')
    ELSE FALSE END
BEGIN SELECT RAISE(ABORT, 'schedule: this state does not follow'); END;
CREATE TRIGGER schedule_forwards BEFORE UPDATE OF settled_to ON schedule WHEN NEW.settled_to < OLD.settled_to
BEGIN SELECT RAISE(ABORT, 'schedule: what is settled stays settled'); END;

-- One row: a pause of a Schedule (CAT-07), for nominal instants in [begins_at, ended_at): open while ended_at is NULL. until_at: it ends
-- there by itself. why and until_at may be said anew while it is open.
CREATE TABLE pause (
    id INTEGER PRIMARY KEY,
    schedule INTEGER NOT NULL REFERENCES schedule (id),
    begins_at INTEGER NOT NULL,
    until_at INTEGER,
    ended_at INTEGER,
    why TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX pause_open ON pause (schedule) WHERE ended_at IS NULL;
CREATE INDEX pause_until ON pause (until_at) WHERE ended_at IS NULL AND until_at IS NOT NULL;
CREATE INDEX pause_of_schedule ON pause (schedule, ended_at);
CREATE INDEX schedule_paused ON schedule (next_at) WHERE state = 'paused' AND next_at IS NOT NULL;
CREATE TRIGGER pause_ended BEFORE UPDATE ON pause WHEN OLD.ended_at IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'pause: ended once'); END;
CREATE TRIGGER pause_identity BEFORE UPDATE OF id, schedule, begins_at ON pause
BEGIN SELECT RAISE(ABORT, 'pause: its begin never changes'); END;
CREATE TRIGGER pause_kept BEFORE DELETE ON pause BEGIN SELECT RAISE(ABORT, 'pause: never goes'); END;

-- One row: one calendar interpretation of a Schedule, named c1, c2 … (CUT-03). interpretation is its digest.
CREATE TABLE calendar_generation (
    schedule INTEGER NOT NULL REFERENCES schedule (id),
    number INTEGER NOT NULL,
    interpretation TEXT NOT NULL,
    PRIMARY KEY (schedule, number),
    UNIQUE (schedule, interpretation)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER calendar_generation_unchanged BEFORE UPDATE ON calendar_generation
BEGIN SELECT RAISE(ABORT, 'calendar generation: never changes'); END;
CREATE TRIGGER calendar_generation_kept BEFORE DELETE ON calendar_generation
BEGIN SELECT RAISE(ABORT, 'calendar generation: never goes'); END;

-- One row: an immutable revision. body is its canonical JSON, digest the SHA-256 of that (CUT-01).
CREATE TABLE revision (
    id INTEGER PRIMARY KEY,
    schedule INTEGER NOT NULL REFERENCES schedule (id),
    number INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    pattern INTEGER NOT NULL REFERENCES pattern_version (id),
    zone_rules BLOB REFERENCES zone_rules (digest),
    digest TEXT NOT NULL CHECK (length(digest) = 64),
    body TEXT NOT NULL,
    defined_at INTEGER NOT NULL,
    UNIQUE (schedule, number),
    UNIQUE (schedule, digest),
    FOREIGN KEY (schedule, generation) REFERENCES calendar_generation (schedule, number)
) STRICT;
CREATE TRIGGER revision_unchanged BEFORE UPDATE ON revision BEGIN SELECT RAISE(ABORT, 'revision: never changes'); END;
CREATE TRIGGER revision_kept BEFORE DELETE ON revision BEGIN SELECT RAISE(ABORT, 'revision: never goes'); END;

-- One row: a switch to a revision. Its firings are those with begins_at < nominal <= decided_at of the next switch;
-- partition is the JSON of what was decided about the firings around it.
CREATE TABLE activation (
    id INTEGER PRIMARY KEY,
    schedule INTEGER NOT NULL REFERENCES schedule (id),
    revision INTEGER NOT NULL REFERENCES revision (id),
    replaced INTEGER REFERENCES revision (id),
    decided_at INTEGER NOT NULL,
    begins_at INTEGER NOT NULL CHECK (begins_at >= decided_at),
    partition TEXT NOT NULL
) STRICT;
CREATE INDEX activation_of_schedule ON activation (schedule, id);
CREATE TRIGGER activation_unchanged BEFORE UPDATE ON activation BEGIN SELECT RAISE(ABORT, 'activation: never changes'); END;
CREATE TRIGGER activation_kept BEFORE DELETE ON activation BEGIN SELECT RAISE(ABORT, 'activation: never goes'); END;

-- One row: one firing and its fate (OCC-01). A calendar firing is generation, civil second (the instant for every and at) and
-- fold: -1 shown once, 0 the first showing, 1 the second. wake_at is the next moment of a pending one.
CREATE TABLE occurrence (
    id INTEGER PRIMARY KEY,
    schedule INTEGER NOT NULL REFERENCES schedule (id),
    generation INTEGER NOT NULL,
    civil INTEGER NOT NULL,
    fold INTEGER NOT NULL CHECK (fold IN (-1, 0, 1)),
    revision INTEGER NOT NULL REFERENCES revision (id),
    nominal_at INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    not_before INTEGER,
    latest_start_at INTEGER,
    finish_by INTEGER,
    class TEXT NOT NULL CHECK (class IN ('foreground', 'deadline_windowed', 'spare_capacity')),
    mode TEXT NOT NULL CHECK (mode IN ('live', 'catch_up', 'backfill')),
    policy INTEGER NOT NULL REFERENCES policy (generation),
    authority INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'admitted', 'missed', 'skipped', 'refused', 'coalesced')),
    reason TEXT NOT NULL,
    decided_at INTEGER,
    wake_at INTEGER,
    blockers TEXT,
    UNIQUE (schedule, generation, civil, fold),
    CHECK ((state = 'pending') = (decided_at IS NULL)),
    CHECK (state = 'pending' OR wake_at IS NULL),
    CHECK (CASE class WHEN 'deadline_windowed' THEN not_before IS NOT NULL AND latest_start_at IS NOT NULL
                      ELSE not_before IS NULL AND latest_start_at IS NULL AND finish_by IS NULL END),
    CHECK (due_at >= nominal_at AND created_at >= nominal_at),
    CHECK (CASE state
        WHEN 'pending' THEN reason IN ('not_yet', 'overlap', 'capacity', 'capability', 'budget', 'paused', 'clock_settling', 'catch_up_limit', 'quiet_window', 'stopped')
        WHEN 'admitted' THEN reason IN ('foreground', 'window_open', 'spare_free')
        WHEN 'missed' THEN reason IN ('latest_start', 'finish_by', 'overlap', 'capacity', 'capability', 'budget', 'paused', 'clock_settling', 'catch_up_limit', 'stopped')
        WHEN 'skipped' THEN reason IN ('gap', 'horizon', 'superseded', 'catch_up_none', 'max_age', 'max_count', 'budget', 'paused', 'overlap', 'replaced', 'cutover', 'retired', 'operator')
        WHEN 'refused' THEN reason IN ('gap', 'revoked', 'policy', 'budget', 'impossible', 'unavailable')
        ELSE reason = 'carrier' END)
) STRICT;
CREATE INDEX occurrence_wake ON occurrence (wake_at) WHERE state = 'pending' AND wake_at IS NOT NULL;
CREATE INDEX occurrence_pending ON occurrence (schedule, nominal_at) WHERE state = 'pending';
CREATE INDEX occurrence_capacity ON occurrence ((class <> 'foreground'), nominal_at) WHERE state = 'pending' AND reason = 'capacity';
CREATE TRIGGER occurrence_terminal BEFORE UPDATE OF state, reason, decided_at, wake_at, blockers, mode ON occurrence WHEN OLD.state <> 'pending'
BEGIN SELECT RAISE(ABORT, 'occurrence: an outcome never changes'); END;
CREATE TRIGGER occurrence_identity BEFORE UPDATE OF id, schedule, generation, civil, fold, revision, nominal_at, due_at, not_before,
    latest_start_at, finish_by, class, policy, authority, created_at ON occurrence
BEGIN SELECT RAISE(ABORT, 'occurrence: identity and bounds never change'); END;
CREATE TRIGGER occurrence_kept BEFORE DELETE ON occurrence BEGIN SELECT RAISE(ABORT, 'occurrence: identity never goes'); END;
CREATE TRIGGER occurrence_admitted BEFORE UPDATE OF state ON occurrence WHEN NEW.state = 'admitted' AND (
    NEW.decided_at < NEW.due_at OR NEW.decided_at >= NEW.latest_start_at OR NEW.decided_at >= NEW.finish_by
    OR NOT EXISTS (SELECT 1 FROM invocation WHERE occurrence = NEW.id))
BEGIN SELECT RAISE(ABORT, 'occurrence: admitted outside its window or without its invocation'); END;
CREATE TRIGGER occurrence_born BEFORE INSERT ON occurrence WHEN NEW.state IN ('admitted', 'coalesced')
BEGIN SELECT RAISE(ABORT, 'occurrence: admission is decided of a stored one'); END;

-- One row: an outside event (or a manual run) that a Schedule took on, named by its source and the id that the source gave it (OCC-02).
-- Its Occurrence has generation 0, which no calendar has, and this row's number for its civil second. content is what the source sent
-- (canonical JSON, else its bytes), NULL where that was nothing; content_digest its SHA-256 (OCC-06).
CREATE TABLE external_firing (
    id INTEGER PRIMARY KEY,
    schedule INTEGER NOT NULL REFERENCES schedule (id),
    source TEXT NOT NULL CHECK (length(source) > 0),
    event_id TEXT NOT NULL CHECK (length(event_id) > 0),
    content_digest BLOB NOT NULL CHECK (length(content_digest) = 32),
    content BLOB,
    origin TEXT NOT NULL CHECK (origin IN ('operator', 'agent', 'peer')),
    principal TEXT NOT NULL,
    received_at INTEGER NOT NULL,
    UNIQUE (schedule, source, event_id)
) STRICT;
CREATE TRIGGER external_firing_unchanged BEFORE UPDATE ON external_firing
BEGIN SELECT RAISE(ABORT, 'external firing: never changes'); END;
CREATE TRIGGER external_firing_kept BEFORE DELETE ON external_firing
BEGIN SELECT RAISE(ABORT, 'external firing: identity never goes'); END;
CREATE INDEX occurrence_inbox ON occurrence (schedule) WHERE state = 'pending' AND generation = 0;

-- One row: more than 16 neighbouring firings that one look gave the same fate (OCC-13). first_ and last_ are both inside.
CREATE TABLE firing_range (
    id INTEGER PRIMARY KEY,
    schedule INTEGER NOT NULL REFERENCES schedule (id),
    generation INTEGER NOT NULL,
    revision INTEGER NOT NULL REFERENCES revision (id),
    state TEXT NOT NULL CHECK (state IN ('missed', 'skipped', 'refused')),
    reason TEXT NOT NULL,
    first_civil INTEGER NOT NULL,
    first_fold INTEGER NOT NULL CHECK (first_fold IN (-1, 0, 1)),
    first_at INTEGER NOT NULL,
    last_civil INTEGER NOT NULL,
    last_fold INTEGER NOT NULL CHECK (last_fold IN (-1, 0, 1)),
    last_at INTEGER NOT NULL CHECK (last_at >= first_at),
    count INTEGER NOT NULL CHECK (count > 16),
    decided_at INTEGER NOT NULL CHECK (decided_at >= last_at)
) STRICT;
CREATE INDEX firing_range_of_schedule ON firing_range (schedule, last_at);
CREATE TRIGGER firing_range_unchanged BEFORE UPDATE ON firing_range BEGIN SELECT RAISE(ABORT, 'range: an outcome never changes'); END;
CREATE TRIGGER firing_range_kept BEFORE DELETE ON firing_range BEGIN SELECT RAISE(ABORT, 'range: identity never goes'); END;

-- One row: an admitted job request, from exactly one Occurrence (OCC-16). exclusive: its Schedule forbids a second open one.
CREATE TABLE invocation (
    id INTEGER PRIMARY KEY,
    occurrence INTEGER NOT NULL UNIQUE REFERENCES occurrence (id),
    schedule INTEGER NOT NULL REFERENCES schedule (id),
    exclusive INTEGER NOT NULL CHECK (exclusive IN (0, 1)),
    state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'suspended', 'cancelling', 'contained', 'completed', 'failed', 'cancelled', 'timed_out')),
    reason TEXT NOT NULL,
    disposition TEXT NOT NULL CHECK (disposition IN ('none', 'timely', 'unmet')),
    admitted_at INTEGER NOT NULL,
    started_at INTEGER,
    ended_at INTEGER,
    CHECK ((state IN ('completed', 'failed', 'cancelled', 'timed_out')) = (ended_at IS NOT NULL)),
    CHECK (CASE state
        WHEN 'queued' THEN reason IN ('none', 'worker', 'upstream_wait')
        WHEN 'running' THEN reason = 'none'
        WHEN 'suspended' THEN reason IN ('gate', 'delegate', 'timer', 'slice')
        WHEN 'cancelling' THEN reason IN ('operator', 'replaced', 'revoked', 'shutdown')
        WHEN 'contained' THEN reason = 'settling'
        WHEN 'completed' THEN reason = 'none'
        WHEN 'failed' THEN reason IN ('exit', 'signal', 'upstream', 'guard', 'no_edge', 'hop_cap', 'denied', 'expired', 'finish_by', 'unavailable', 'retention', 'interrupted', 'lost')
        WHEN 'cancelled' THEN reason IN ('operator', 'replaced', 'revoked', 'shutdown')
        ELSE reason = 'timeout' END)
) STRICT;
CREATE UNIQUE INDEX invocation_forbid ON invocation (schedule)
    WHERE exclusive = 1 AND state IN ('queued', 'running', 'suspended', 'cancelling', 'contained');
CREATE INDEX invocation_open ON invocation (schedule, id) WHERE state IN ('queued', 'running', 'suspended', 'cancelling', 'contained');
CREATE TRIGGER invocation_terminal BEFORE UPDATE OF state, reason, started_at, ended_at ON invocation
    WHEN OLD.state IN ('completed', 'failed', 'cancelled', 'timed_out')
BEGIN SELECT RAISE(ABORT, 'invocation: an end never changes'); END;
CREATE TRIGGER invocation_moves BEFORE UPDATE OF state ON invocation WHEN NEW.state <> OLD.state AND NOT CASE OLD.state
    WHEN 'queued' THEN NEW.state IN ('running', 'suspended', 'cancelling', 'contained', 'completed', 'failed', 'cancelled', 'timed_out')
    WHEN 'running' THEN NEW.state IN ('queued', 'suspended', 'cancelling', 'contained', 'completed', 'failed', 'cancelled', 'timed_out')
    WHEN 'suspended' THEN NEW.state IN ('queued', 'cancelling', 'contained', 'completed', 'failed', 'cancelled', 'timed_out')
    WHEN 'cancelling' THEN NEW.state IN ('contained', 'completed', 'failed', 'cancelled', 'timed_out')
    WHEN 'contained' THEN NEW.state IN ('completed', 'failed', 'cancelled', 'timed_out')
    ELSE FALSE END
BEGIN SELECT RAISE(ABORT, 'invocation: this state does not follow'); END;
CREATE TRIGGER invocation_identity BEFORE UPDATE OF id, occurrence, schedule, exclusive, admitted_at ON invocation
BEGIN SELECT RAISE(ABORT, 'invocation: identity never changes'); END;
CREATE TRIGGER invocation_kept BEFORE DELETE ON invocation BEGIN SELECT RAISE(ABORT, 'invocation: never goes'); END;
CREATE TRIGGER invocation_born BEFORE INSERT ON invocation
    WHEN NOT EXISTS (SELECT 1 FROM occurrence WHERE id = NEW.occurrence AND state = 'pending' AND NEW.admitted_at >= due_at
        AND (latest_start_at IS NULL OR NEW.admitted_at < latest_start_at) AND (finish_by IS NULL OR NEW.admitted_at < finish_by))
BEGIN SELECT RAISE(ABORT, 'invocation: its occurrence is not pending in an open window'); END;
CREATE TRIGGER invocation_contained BEFORE UPDATE OF state ON invocation
    WHEN NEW.state IN ('completed', 'failed', 'cancelled', 'timed_out') AND EXISTS (
        SELECT 1 FROM run JOIN attempt ON attempt.run = run.id
        WHERE run.invocation = NEW.id AND attempt.state IN ('granted', 'launching', 'running', 'contained'))
BEGIN SELECT RAISE(ABORT, 'invocation: an attempt is still open'); END;

-- One row: the job record of an Invocation; name is the lookup name it was admitted under, pattern the exact version it is pinned to.
CREATE TABLE run (
    id INTEGER PRIMARY KEY,
    invocation INTEGER NOT NULL UNIQUE REFERENCES invocation (id),
    pattern INTEGER NOT NULL REFERENCES pattern_version (id),
    name TEXT NOT NULL
) STRICT;
CREATE TRIGGER run_unchanged BEFORE UPDATE ON run BEGIN SELECT RAISE(ABORT, 'run: its pin never changes'); END;
CREATE TRIGGER run_kept BEFORE DELETE ON run BEGIN SELECT RAISE(ABORT, 'run: never goes'); END;

-- One row: one hop of a Run, offered to a worker (ADM-7).
CREATE TABLE delivery (
    run INTEGER NOT NULL REFERENCES run (id),
    seq INTEGER NOT NULL CHECK (seq >= 1),
    station TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('held', 'pending', 'claimed', 'settled')),
    PRIMARY KEY (run, seq)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER delivery_moves BEFORE UPDATE OF state ON delivery WHEN OLD.state = 'settled' OR NEW.state <> OLD.state AND NOT CASE OLD.state
    WHEN 'held' THEN NEW.state IN ('pending', 'settled')
    WHEN 'pending' THEN NEW.state IN ('claimed', 'settled')
    ELSE NEW.state IN ('pending', 'settled') END
BEGIN SELECT RAISE(ABORT, 'delivery: this state does not follow'); END;
CREATE TRIGGER delivery_identity BEFORE UPDATE OF run, seq, station ON delivery
BEGIN SELECT RAISE(ABORT, 'delivery: identity never changes'); END;
CREATE TRIGGER delivery_kept BEFORE DELETE ON delivery BEGIN SELECT RAISE(ABORT, 'delivery: never goes'); END;

-- One row: a boot under which processes were started: of this machine, or of another that the ledger belonged to then.
CREATE TABLE boot (
    id INTEGER PRIMARY KEY,
    boot_id TEXT NOT NULL UNIQUE,
    machine TEXT
) STRICT;

-- One row: one try of one station. Identities (pid, start ticks, pidfd inode) are committed before the launch gate opens.
CREATE TABLE attempt (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL,
    delivery INTEGER NOT NULL,
    nth INTEGER NOT NULL CHECK (nth >= 1),
    state TEXT NOT NULL CHECK (state IN ('granted', 'launching', 'running', 'contained', 'never_started', 'exited', 'signalled', 'timed_out', 'lost')),
    binding INTEGER REFERENCES binding (id),
    granted_at INTEGER NOT NULL,
    launched_at INTEGER,
    started_at INTEGER,
    ended_at INTEGER,
    code INTEGER,
    signal INTEGER,
    errno INTEGER,
    output_bytes INTEGER,
    dropped_bytes INTEGER,
    boot INTEGER REFERENCES boot (id),
    shim_pid INTEGER,
    shim_ticks INTEGER,
    shim_inode INTEGER,
    pid INTEGER,
    ticks INTEGER,
    inode INTEGER,
    UNIQUE (run, delivery, nth),
    FOREIGN KEY (run, delivery) REFERENCES delivery (run, seq),
    CHECK (state <> 'running' OR (pid IS NOT NULL AND shim_pid IS NOT NULL AND boot IS NOT NULL AND started_at IS NOT NULL)),
    CHECK (state = 'granted' OR state = 'never_started' OR binding IS NOT NULL),
    CHECK ((state IN ('never_started', 'exited', 'signalled', 'timed_out', 'lost')) = (ended_at IS NOT NULL))
) STRICT;
CREATE UNIQUE INDEX attempt_open ON attempt (run, delivery) WHERE state IN ('granted', 'launching', 'running', 'contained');
CREATE INDEX attempt_granted ON attempt (id) WHERE state = 'granted';
CREATE TRIGGER attempt_terminal BEFORE UPDATE OF state, code, signal, ended_at, started_at, pid ON attempt
    WHEN OLD.state IN ('never_started', 'exited', 'signalled', 'timed_out', 'lost')
BEGIN SELECT RAISE(ABORT, 'attempt: an end never changes'); END;
CREATE TRIGGER attempt_identity BEFORE UPDATE OF id, run, delivery, nth, granted_at ON attempt
BEGIN SELECT RAISE(ABORT, 'attempt: identity never changes'); END;
CREATE TRIGGER attempt_moves BEFORE UPDATE OF state ON attempt WHEN NEW.state <> OLD.state AND NOT CASE OLD.state
    WHEN 'granted' THEN NEW.state IN ('launching', 'never_started')
    WHEN 'launching' THEN NEW.state IN ('running', 'contained', 'never_started', 'exited', 'signalled', 'timed_out', 'lost')
    WHEN 'running' THEN NEW.state IN ('contained', 'never_started', 'exited', 'signalled', 'timed_out', 'lost')
    WHEN 'contained' THEN NEW.state IN ('never_started', 'exited', 'signalled', 'timed_out', 'lost')
    ELSE FALSE END
BEGIN SELECT RAISE(ABORT, 'attempt: this state does not follow'); END;
CREATE TRIGGER attempt_kept BEFORE DELETE ON attempt BEGIN SELECT RAISE(ABORT, 'attempt: never goes'); END;

-- One row: what an attempt holds of an account until it is settled: released, or rolled back before anything ran.
CREATE TABLE "grant" (
    attempt INTEGER NOT NULL REFERENCES attempt (id),
    account TEXT NOT NULL REFERENCES account (name),
    amount INTEGER NOT NULL CHECK (amount > 0),
    settled TEXT CHECK (settled IN ('release', 'rollback')),
    PRIMARY KEY (attempt, account)
) STRICT, WITHOUT ROWID;
CREATE INDEX grant_held ON "grant" (account, amount) WHERE settled IS NULL;
CREATE TRIGGER grant_settled BEFORE UPDATE ON "grant" WHEN OLD.settled IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'grant: settled once'); END;
CREATE TRIGGER grant_identity BEFORE UPDATE OF attempt, account, amount ON "grant"
BEGIN SELECT RAISE(ABORT, 'grant: its amount never changes'); END;
CREATE TRIGGER grant_kept BEFORE DELETE ON "grant" BEGIN SELECT RAISE(ABORT, 'grant: never goes'); END;

-- One row: what ended an attempt that was contained or is lost: kept proof, or a named operator's word. status: its shim left word
-- that the command never ran; echild: its shim saw the last of its processes end; cgroup: its own cgroup is empty; other_boot: the
-- machine has been booted since.
CREATE TABLE proof (
    attempt INTEGER PRIMARY KEY REFERENCES attempt (id),
    kind TEXT NOT NULL CHECK (kind IN ('status', 'echild', 'cgroup', 'other_boot', 'operator')),
    detail TEXT NOT NULL,
    at INTEGER NOT NULL,
    actor TEXT NOT NULL
) STRICT;
CREATE TRIGGER proof_unchanged BEFORE UPDATE ON proof BEGIN SELECT RAISE(ABORT, 'proof: never changes'); END;
CREATE TRIGGER proof_kept BEFORE DELETE ON proof BEGIN SELECT RAISE(ABORT, 'proof: never goes'); END;
CREATE TRIGGER attempt_proved BEFORE UPDATE OF state ON attempt
    WHEN (OLD.state = 'contained' AND NEW.state <> 'contained' OR NEW.state = 'lost')
    AND NOT EXISTS (SELECT 1 FROM proof WHERE attempt = NEW.id)
BEGIN SELECT RAISE(ABORT, 'attempt: contained ends only with proof, and lost is what is proved gone'); END;

-- One row: a step of the clock beyond the policy's bound. While closed_at is NULL nothing is decided but what needs no time (WIN-11);
-- only the daemon or `tick` closes it. size_us is signed.
CREATE TABLE clock_event (
    id INTEGER PRIMARY KEY,
    before_at INTEGER NOT NULL,
    after_at INTEGER NOT NULL,
    size_us INTEGER NOT NULL CHECK (size_us = after_at - before_at),
    opened_at INTEGER NOT NULL,
    closed_at INTEGER
) STRICT;
CREATE UNIQUE INDEX clock_event_open ON clock_event (closed_at IS NULL) WHERE closed_at IS NULL;
CREATE TRIGGER clock_event_closed BEFORE UPDATE ON clock_event WHEN OLD.closed_at IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'clock event: closed once'); END;
CREATE TRIGGER clock_event_kept BEFORE DELETE ON clock_event BEGIN SELECT RAISE(ABORT, 'clock event: never goes'); END;

-- For people at a prompt: the same rows with readable times. Nothing in the program reads these.
CREATE VIEW occurrence_read AS
SELECT 'occ_' || o.id AS occurrence, s.authority || '/' || s.name AS schedule, r.number AS revision,
    strftime('%Y-%m-%dT%H:%M:%SZ', o.nominal_at / 1000000, 'unixepoch') AS nominal,
    strftime('%Y-%m-%dT%H:%M:%SZ', o.due_at / 1000000, 'unixepoch') AS due,
    strftime('%Y-%m-%dT%H:%M:%SZ', o.latest_start_at / 1000000, 'unixepoch') AS latest_start,
    o.state, o.reason, strftime('%Y-%m-%dT%H:%M:%SZ', o.decided_at / 1000000, 'unixepoch') AS decided
FROM occurrence o JOIN schedule s ON s.id = o.schedule JOIN revision r ON r.id = o.revision;

CREATE VIEW invocation_read AS
SELECT 'inv_' || i.id AS invocation, 'occ_' || i.occurrence AS occurrence, s.authority || '/' || s.name AS schedule, i.state, i.reason,
    strftime('%Y-%m-%dT%H:%M:%SZ', i.admitted_at / 1000000, 'unixepoch') AS admitted,
    strftime('%Y-%m-%dT%H:%M:%SZ', i.started_at / 1000000, 'unixepoch') AS started,
    strftime('%Y-%m-%dT%H:%M:%SZ', i.ended_at / 1000000, 'unixepoch') AS ended
FROM invocation i JOIN schedule s ON s.id = i.schedule;

CREATE VIEW event_read AS
SELECT seq, txn, strftime('%Y-%m-%dT%H:%M:%SZ', at / 1000000, 'unixepoch') AS at, type, schedule, occurrence, invocation, actor, data FROM event;
