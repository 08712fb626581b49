-- Version 2: leases, opaque payloads, due times. Only adds, so that version 1's statements keep working.
-- The default of payload: while dispatchers of version 1 run beside new producers, they find what they hand
-- out where they look for it; what is no JSON as a JSON string, bytes in Base64.
-- Texts are taken over from whatever character set the server had by default; the id follows with finalize.
-- LOCK = NONE: rather an error than a table that cannot be written to. Indexes over virtual columns are the
-- exception: built while others write, MariaDB 11.4 takes them for corrupt (1034), and its copy of a
-- table in use finds duplicates that are none (1062). So writers wait while an index is built.

ALTER TABLE {table}
  MODIFY COLUMN event_type VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  MODIFY COLUMN aggregate_type VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  MODIFY COLUMN aggregate_id VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  MODIFY COLUMN tenant_id VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  MODIFY COLUMN last_error TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  MODIFY COLUMN payload JSON NULL DEFAULT (
    CASE WHEN JSON_VALID(payload_text) THEN payload_text
         WHEN payload_text IS NOT NULL THEN JSON_QUOTE(payload_text)
         WHEN payload_bytes IS NOT NULL THEN JSON_QUOTE(REPLACE(TO_BASE64(payload_bytes), CHAR(10 USING utf8mb4), '')) END),
  ADD COLUMN IF NOT EXISTS payload_text LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  ADD COLUMN IF NOT EXISTS payload_bytes LONGBLOB,
  ADD COLUMN IF NOT EXISTS correlation_id VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  ADD COLUMN IF NOT EXISTS occurred_at DATETIME(6),
  ADD COLUMN IF NOT EXISTS due_at DATETIME(6),
  ADD COLUMN IF NOT EXISTS expires_at DATETIME(6),
  ADD COLUMN IF NOT EXISTS owner_token VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  ADD COLUMN IF NOT EXISTS processed_by VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  ADD COLUMN IF NOT EXISTS started SMALLINT NOT NULL DEFAULT 0,
  ADD COLUMN IF NOT EXISTS lease_expiries INT NOT NULL DEFAULT 0,
  LOCK = NONE;

-- What a claim scans: available_at of live rows only.
ALTER TABLE {table}
  ADD COLUMN IF NOT EXISTS claimable_at DATETIME(6)
    GENERATED ALWAYS AS (CASE WHEN status IN (0, 2) THEN available_at END) VIRTUAL,
  LOCK = NONE;

CREATE INDEX IF NOT EXISTS idx_claim ON {table} (claimable_at, event_id)
  ALGORITHM = INPLACE LOCK = SHARED;
