-- Once no node of an older version runs any more: requires what all rows now have and drops what only version
-- 1 used, its payload last, so that whatever cuts this off can be seen and gone on with. The key's column
-- cannot be altered under the columns computed from it: a constraint does it.

ALTER TABLE {table} ADD CONSTRAINT {name}_keyed CHECK (idempotency_key IS NOT NULL);

ALTER TABLE {table} ADD CONSTRAINT {name}_payload
  CHECK (status NOT IN (0, 2) OR payload_text IS NOT NULL OR payload_bytes IS NOT NULL);

DROP INDEX IF EXISTS {status_index} ON {table};

ALTER TABLE {table} DROP COLUMN payload;
