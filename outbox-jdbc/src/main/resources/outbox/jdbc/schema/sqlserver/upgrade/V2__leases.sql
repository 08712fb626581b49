-- Version 2: leases, opaque payloads, due times. Only adds, so that version 1's statements keep working.

ALTER TABLE {table} ALTER COLUMN event_type NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL;

ALTER TABLE {table} ALTER COLUMN payload NVARCHAR(MAX) COLLATE Latin1_General_100_BIN2 NULL;

ALTER TABLE {table} ADD
  payload_text NVARCHAR(MAX) COLLATE Latin1_General_100_BIN2,
  payload_bytes VARBINARY(MAX),
  correlation_id NVARCHAR(255) COLLATE Latin1_General_100_BIN2,
  occurred_at DATETIME2(6),
  due_at DATETIME2(6),
  expires_at DATETIME2(6),
  owner_token NVARCHAR(64) COLLATE Latin1_General_100_BIN2,
  processed_by NVARCHAR(64) COLLATE Latin1_General_100_BIN2,
  started SMALLINT NOT NULL DEFAULT 0,
  lease_expiries INT NOT NULL DEFAULT 0;

-- What a claim scans: live rows only, in the order in which they become available.
CREATE INDEX idx_claim ON {table} (available_at, event_id) WHERE status IN (0, 2);
