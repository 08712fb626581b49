-- Version 2: leases, opaque payloads, due times. Only adds, so that version 1's statements keep working.

ALTER TABLE {table} ALTER COLUMN event_type SET DATA TYPE VARCHAR(255);

ALTER TABLE {table} ALTER COLUMN payload DROP NOT NULL;

ALTER TABLE {table} ADD COLUMN IF NOT EXISTS payload_text CHARACTER LARGE OBJECT;
ALTER TABLE {table} ADD COLUMN IF NOT EXISTS payload_bytes BINARY LARGE OBJECT;
ALTER TABLE {table} ADD COLUMN IF NOT EXISTS correlation_id VARCHAR(255);
ALTER TABLE {table} ADD COLUMN IF NOT EXISTS occurred_at TIMESTAMP(6) WITH TIME ZONE;
ALTER TABLE {table} ADD COLUMN IF NOT EXISTS due_at TIMESTAMP(6) WITH TIME ZONE;
ALTER TABLE {table} ADD COLUMN IF NOT EXISTS expires_at TIMESTAMP(6) WITH TIME ZONE;
ALTER TABLE {table} ADD COLUMN IF NOT EXISTS owner_token VARCHAR(64);
ALTER TABLE {table} ADD COLUMN IF NOT EXISTS processed_by VARCHAR(64);
ALTER TABLE {table} ADD COLUMN IF NOT EXISTS started SMALLINT DEFAULT 0 NOT NULL;

-- What a claim scans: available_at of live rows only, in the order in which they become available.
-- Not status IN (0, 2): H2 2.4.240 keeps the session that parsed it, and every insert fails once it is closed.
ALTER TABLE {table} ADD COLUMN IF NOT EXISTS claimable_at TIMESTAMP(6) WITH TIME ZONE
  GENERATED ALWAYS AS (CASE status WHEN 0 THEN available_at WHEN 2 THEN available_at END);

CREATE INDEX IF NOT EXISTS {name}_claim ON {table} (claimable_at, event_id);

ALTER TABLE {table} ADD COLUMN IF NOT EXISTS lease_expiries INT DEFAULT 0 NOT NULL;
