-- Version 2: leases, opaque payloads, due times. Only adds, so that version 1's statements keep working.
-- LOCK = NONE: rather an error than a table that cannot be written to. MySQL grants it only if each statement does
-- one kind of thing: a column's default may not come with the columns that it reads.
-- Texts are taken over from whatever character set the server had by default; the id follows with finalize.
-- Within utf8mb4 that changes the dictionary only; another set needs a copy of the table, and so LOCK = SHARED.

ALTER TABLE {table}
  MODIFY COLUMN event_type VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  MODIFY COLUMN aggregate_type VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  MODIFY COLUMN aggregate_id VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  MODIFY COLUMN tenant_id VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  MODIFY COLUMN last_error TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  LOCK = NONE;

ALTER TABLE {table}
  ADD COLUMN payload_text LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  ADD COLUMN payload_bytes LONGBLOB,
  ADD COLUMN correlation_id VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  ADD COLUMN occurred_at DATETIME(6),
  ADD COLUMN due_at DATETIME(6),
  ADD COLUMN expires_at DATETIME(6),
  ADD COLUMN owner_token VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  ADD COLUMN processed_by VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  ADD COLUMN started SMALLINT NOT NULL DEFAULT 0,
  ADD COLUMN lease_expiries INT NOT NULL DEFAULT 0,
  LOCK = NONE;

-- Rebuilds the table while others write.
ALTER TABLE {table}
  MODIFY COLUMN payload JSON NULL,
  LOCK = NONE;

-- While dispatchers of version 1 run beside new producers, they find what they hand out where they look for it;
-- what is no JSON as a JSON string, bytes in Base64. MySQL fails on JSON of more than 100 levels.
ALTER TABLE {table}
  ALTER COLUMN payload SET DEFAULT (
    CASE WHEN LOCATE(REPEAT('[', 100), payload_text) > 0 THEN JSON_QUOTE(payload_text)
         WHEN JSON_VALID(payload_text) THEN payload_text
         WHEN payload_text IS NOT NULL THEN JSON_QUOTE(payload_text)
         WHEN payload_bytes IS NOT NULL THEN JSON_QUOTE(REPLACE(TO_BASE64(payload_bytes), CHAR(10 USING utf8mb4), '')) END),
  LOCK = NONE;

-- What a claim scans: available_at of live rows only.
ALTER TABLE {table}
  ADD COLUMN claimable_at DATETIME(6)
    GENERATED ALWAYS AS (CASE WHEN status IN (0, 2) THEN available_at END) VIRTUAL,
  LOCK = NONE;

CREATE INDEX idx_claim ON {table} (claimable_at, event_id)
  ALGORITHM = INPLACE LOCK = NONE;
