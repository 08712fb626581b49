-- Once no node of an older version runs any more: requires what all rows now have and drops what only version
-- 1 used, its payload last, so that whatever cuts this off can be seen and gone on with. The check stands
-- alone: MySQL copies the table for it, and blocks writes meanwhile.

ALTER TABLE {table}
  MODIFY COLUMN event_id VARCHAR(36) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  MODIFY COLUMN aggregate_type VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  MODIFY COLUMN aggregate_id VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  MODIFY COLUMN tenant_id VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  MODIFY COLUMN last_error LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  ADD CONSTRAINT {name}_payload
    CHECK (status NOT IN (0, 2) OR payload_text IS NOT NULL OR payload_bytes IS NOT NULL),
  LOCK = SHARED;

ALTER TABLE {table}
  DROP COLUMN payload,
  DROP INDEX {status_index},
  MODIFY COLUMN idempotency_key VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  LOCK = NONE;
