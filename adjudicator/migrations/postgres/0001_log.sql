-- The logs of adjudicators, one a shard. Each commit moves the shard's last_id on and checks its epoch, in the
-- same transaction: numbers follow the order of commits without holes, and an owner of before writes nothing.
-- Names come from hubs and may have any bytes, which TEXT does not: they are BYTEA.

CREATE TABLE shard (
    name TEXT NOT NULL PRIMARY KEY,
    last_id BIGINT NOT NULL,
    epoch BIGINT NOT NULL,
    owner TEXT NOT NULL,
    lease_until TIMESTAMPTZ NOT NULL,
    generation BIGINT NOT NULL,
    unchecked_until BIGINT NOT NULL
);

-- One line per input. Rows of hubs are unique by (hub, boot, sequence).
CREATE TABLE input (
    shard TEXT NOT NULL,
    id BIGINT NOT NULL,
    received_ms BIGINT NOT NULL,
    kind TEXT NOT NULL,
    hub BYTEA,
    boot_id BIGINT,
    sequence BIGINT,
    table_name BYTEA,
    match_id BYTEA,
    payload BYTEA NOT NULL,
    checksum BIGINT,
    PRIMARY KEY (shard, id),
    UNIQUE (shard, hub, boot_id, sequence)
);

-- What hubs send is protobuf, which hardly gets shorter: compressing it costs more than it saves.
ALTER TABLE input ALTER COLUMN payload SET STORAGE EXTERNAL;

-- How far each boot of each hub has been committed: what its acknowledgement says.
CREATE TABLE hub_position (
    shard TEXT NOT NULL,
    hub BYTEA NOT NULL,
    boot_id BIGINT NOT NULL,
    sequence BIGINT NOT NULL,
    seen_ms BIGINT NOT NULL,
    PRIMARY KEY (shard, hub, boot_id)
);
