-- Once no node of an older version runs any more: requires what all rows now have and drops what only version
-- 1 used, its payload last, so that whatever cuts this off can be seen and gone on with. MySQL copies the table for
-- the check and for the longer error, and keeps writers out meanwhile; so all that copies is one statement.
-- Its JSON forgets the order of headers, so they become a text.

ALTER TABLE {table}
  MODIFY COLUMN event_id VARCHAR(36) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  MODIFY COLUMN headers LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  MODIFY COLUMN last_error LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  MODIFY COLUMN idempotency_key VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  ADD CONSTRAINT {name}_payload
    CHECK (status NOT IN (0, 2) OR payload_text IS NOT NULL OR payload_bytes IS NOT NULL),
  LOCK = SHARED;

ALTER TABLE {table}
  DROP INDEX {status_index},
  LOCK = NONE;

ALTER TABLE {table}
  DROP COLUMN payload,
  LOCK = NONE;
