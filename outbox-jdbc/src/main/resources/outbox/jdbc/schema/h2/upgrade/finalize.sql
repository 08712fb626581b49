-- Once no node of an older version runs any more: requires what all rows now have and drops what only version
-- 1 used, its payload last, so that whatever cuts this off can be seen and gone on with.

ALTER TABLE {table} ALTER COLUMN idempotency_key SET NOT NULL;

ALTER TABLE {table} ADD CONSTRAINT IF NOT EXISTS {name}_payload
  CHECK ((status <> 0 AND status <> 2) OR payload_text IS NOT NULL OR payload_bytes IS NOT NULL);

DROP INDEX IF EXISTS {schema}{status_index};

ALTER TABLE {table} DROP COLUMN IF EXISTS payload;
