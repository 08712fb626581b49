-- Version 3: the producer's key, and the trace of replays. Only adds, as version 2 does.

ALTER TABLE {table} ADD COLUMN IF NOT EXISTS idempotency_key VARCHAR(64);
ALTER TABLE {table} ADD COLUMN IF NOT EXISTS replays INT DEFAULT 0 NOT NULL;
ALTER TABLE {table} ADD COLUMN IF NOT EXISTS replayed_at TIMESTAMP(6) WITH TIME ZONE;
ALTER TABLE {table} ADD COLUMN IF NOT EXISTS replayed_by VARCHAR(64);
ALTER TABLE {table} ADD COLUMN IF NOT EXISTS kept SMALLINT DEFAULT 1 NOT NULL;

-- One row for a key of a tenant, no tenant being one as well. An event without a key of its producer has its
-- own id for one, which the primary key guards already: null here, and so not compared.
ALTER TABLE {table} ADD COLUMN IF NOT EXISTS key_tenant VARCHAR(64)
  GENERATED ALWAYS AS (CASE WHEN idempotency_key <> event_id THEN COALESCE(tenant_id, '') END);
ALTER TABLE {table} ADD COLUMN IF NOT EXISTS key_given VARCHAR(64)
  GENERATED ALWAYS AS (CASE WHEN idempotency_key <> event_id THEN idempotency_key END);

CREATE UNIQUE INDEX IF NOT EXISTS {name}_key ON {table} (key_tenant, key_given);

-- The dead letters, to be listed from the newest.
ALTER TABLE {table} ADD COLUMN IF NOT EXISTS dead_created_at TIMESTAMP(6) WITH TIME ZONE
  GENERATED ALWAYS AS (CASE status WHEN 3 THEN created_at END);

CREATE INDEX IF NOT EXISTS {name}_dead ON {table} (dead_created_at, event_id);

-- What retention scans: kept says whether the payload is still there, done_at is of completed rows only.
CREATE INDEX IF NOT EXISTS {name}_done ON {table} (kept, done_at);
