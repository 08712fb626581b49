-- Once no node of an older version runs any more: requires what all rows now have and drops what only version
-- 1 used, its payload last, so that whatever cuts this off can be seen and gone on with. A constraint is
-- added unproven and proven after that, which blocks no statement; NOT NULL then takes the proof instead of
-- reading the table.

ALTER TABLE {table} DROP CONSTRAINT IF EXISTS {name}_keyed,
  ADD CONSTRAINT {name}_keyed CHECK (idempotency_key IS NOT NULL) NOT VALID;

ALTER TABLE {table} VALIDATE CONSTRAINT {name}_keyed;

ALTER TABLE {table} ALTER COLUMN idempotency_key SET NOT NULL;

ALTER TABLE {table} DROP CONSTRAINT IF EXISTS {name}_keyed;

ALTER TABLE {table} DROP CONSTRAINT IF EXISTS {name}_payload,
  ADD CONSTRAINT {name}_payload
    CHECK (status NOT IN (0, 2) OR payload_text IS NOT NULL OR payload_bytes IS NOT NULL) NOT VALID;

ALTER TABLE {table} VALIDATE CONSTRAINT {name}_payload;

DROP INDEX IF EXISTS {schema}{status_index};

DROP FUNCTION IF EXISTS {table}_mirror() CASCADE;

ALTER TABLE {table} DROP COLUMN IF EXISTS payload;
