-- Damage is noticed: a checksum of each input, written with it and checked on reading.
-- Inputs of earlier releases have none; what came after them and has none is damaged.

ALTER TABLE input ADD COLUMN checksum BIGINT;

INSERT INTO meta (name, value) SELECT 'unchecked_until', COALESCE(MAX(id), 0) FROM input;
