-- The log of everything the adjudicator was told, and what it made of it.
-- Plain types and statements that SQLite and PostgreSQL both take; ids are given by the single writer,
-- because a database's own sequences are not ordered by commit.

CREATE TABLE meta (
    name TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
);

-- One line per input, in the order of commits. Rows of hubs are unique by (hub, boot, sequence).
CREATE TABLE input (
    id BIGINT NOT NULL PRIMARY KEY,
    received_ms BIGINT NOT NULL,
    kind TEXT NOT NULL,
    hub TEXT,
    boot_id BIGINT,
    sequence BIGINT,
    table_name TEXT,
    match_id TEXT,
    payload BLOB NOT NULL,
    UNIQUE (hub, boot_id, sequence)
);

CREATE INDEX input_match ON input (match_id, id);

-- How far each boot of each hub has been committed: what its acknowledgement says.
CREATE TABLE hub_position (
    hub TEXT NOT NULL,
    boot_id BIGINT NOT NULL,
    sequence BIGINT NOT NULL,
    seen_ms BIGINT NOT NULL,
    PRIMARY KEY (hub, boot_id)
);

CREATE TABLE match_summary (
    id TEXT NOT NULL PRIMARY KEY,
    table_name TEXT NOT NULL,
    rulebook TEXT NOT NULL,
    state TEXT NOT NULL,
    ply_count BIGINT NOT NULL,
    proposal TEXT,
    opened_input BIGINT NOT NULL,
    changed_input BIGINT NOT NULL
);

-- Alerts are never rewritten: every revision stands, so that a ruling can be traced to what was shown.
CREATE TABLE alert (
    match_id TEXT NOT NULL,
    alert_id TEXT NOT NULL,
    revision BIGINT NOT NULL,
    input_id BIGINT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (match_id, alert_id, revision)
);
