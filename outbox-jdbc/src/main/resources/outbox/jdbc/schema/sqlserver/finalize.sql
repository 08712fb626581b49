-- Once no node of version 1 runs any more: drops what only version 1 used.

UPDATE {table} SET payload_text = payload
WHERE payload_text IS NULL AND payload_bytes IS NULL;

ALTER TABLE {table} DROP COLUMN payload;

ALTER TABLE {table} ADD CONSTRAINT {name}_payload
  CHECK (status NOT IN (0, 2) OR payload_text IS NOT NULL OR payload_bytes IS NOT NULL);

DROP INDEX IF EXISTS {status_index} ON {table};
