-- Once no node of an older version runs any more: drops what only version 1 used and requires what all
-- now have. MariaDB copies the table for it, and blocks writes meanwhile.

ALTER TABLE {table}
  DROP COLUMN IF EXISTS payload,
  DROP INDEX IF EXISTS {status_index},
  MODIFY COLUMN idempotency_key VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  MODIFY COLUMN event_id VARCHAR(36) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  MODIFY COLUMN last_error LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  ADD CONSTRAINT IF NOT EXISTS {name}_payload
    CHECK (status NOT IN (0, 2) OR payload_text IS NOT NULL OR payload_bytes IS NOT NULL),
  LOCK = SHARED;
