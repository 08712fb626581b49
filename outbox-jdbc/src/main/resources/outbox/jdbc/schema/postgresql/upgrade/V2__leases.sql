-- Version 2: leases, opaque payloads, due times. Only adds, so that version 1's statements keep working.

ALTER TABLE {table}
  ALTER COLUMN event_type TYPE VARCHAR(255) COLLATE "C",
  ALTER COLUMN payload DROP NOT NULL,
  ADD COLUMN IF NOT EXISTS payload_text TEXT COLLATE "C",
  ADD COLUMN IF NOT EXISTS payload_bytes BYTEA,
  ADD COLUMN IF NOT EXISTS correlation_id VARCHAR(255) COLLATE "C",
  ADD COLUMN IF NOT EXISTS occurred_at TIMESTAMPTZ(6),
  ADD COLUMN IF NOT EXISTS due_at TIMESTAMPTZ(6),
  ADD COLUMN IF NOT EXISTS expires_at TIMESTAMPTZ(6),
  ADD COLUMN IF NOT EXISTS owner_token VARCHAR(64) COLLATE "C",
  ADD COLUMN IF NOT EXISTS processed_by VARCHAR(64) COLLATE "C",
  ADD COLUMN IF NOT EXISTS started SMALLINT NOT NULL DEFAULT 0,
  ADD COLUMN IF NOT EXISTS lease_expiries INT NOT NULL DEFAULT 0;

-- While dispatchers of version 1 run beside new producers, they find what they hand out where they look for
-- it. What is no JSON they get as a JSON string, bytes in Base64. Both go with the column, by finalize.
CREATE OR REPLACE FUNCTION {table}_mirror() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.payload_text IS NULL THEN
    NEW.payload := to_json(translate(encode(NEW.payload_bytes, 'base64'), chr(10), ''));
  ELSE
    BEGIN
      NEW.payload := CAST(NEW.payload_text AS json);
    EXCEPTION WHEN data_exception OR statement_too_complex THEN
      NEW.payload := to_json(NEW.payload_text);
    END;
  END IF;
  RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER {name}_mirror BEFORE INSERT ON {table}
FOR EACH ROW WHEN (NEW.payload IS NULL) EXECUTE FUNCTION {table}_mirror();

-- What a claim scans: live rows only, in the order in which they become available.
CREATE INDEX IF NOT EXISTS {name}_claim ON {table} (available_at, event_id) WHERE status IN (0, 2);

-- A queue changes all its rows within minutes; the defaults wait until a fifth of the table is dead.
ALTER TABLE {table} SET (
  autovacuum_vacuum_scale_factor = 0.01,
  autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_insert_scale_factor = 0.05,
  autovacuum_analyze_scale_factor = 0.05,
  autovacuum_analyze_threshold = 5000,
  autovacuum_vacuum_cost_delay = 1
);
