-- Once no node of an older version runs any more: drops what only version 1 used and requires what all
-- now have.

ALTER TABLE {table} ALTER COLUMN idempotency_key SET NOT NULL;

ALTER TABLE {table} DROP COLUMN IF EXISTS payload;

ALTER TABLE {table} ADD CONSTRAINT IF NOT EXISTS {name}_payload
  CHECK (status NOT IN (0, 2) OR payload_text IS NOT NULL OR payload_bytes IS NOT NULL);

DROP INDEX IF EXISTS {schema}{status_index};
