-- Version 3: the producer's key, and the trace of replays. Only adds, as version 2 does.

ALTER TABLE {table}
  ADD COLUMN IF NOT EXISTS idempotency_key VARCHAR(64) COLLATE "C",
  ADD COLUMN IF NOT EXISTS replays INT NOT NULL DEFAULT 0,
  ADD COLUMN IF NOT EXISTS replayed_at TIMESTAMPTZ(6),
  ADD COLUMN IF NOT EXISTS replayed_by VARCHAR(64) COLLATE "C",
  ADD COLUMN IF NOT EXISTS kept SMALLINT NOT NULL DEFAULT 1;

-- One row for a key of a tenant, no tenant being one as well. An event without a key of its producer has its
-- own id for one, which the primary key guards already; so the index stays as small as its use.
CREATE UNIQUE INDEX IF NOT EXISTS {name}_key ON {table} (COALESCE(tenant_id, ''), idempotency_key)
WHERE idempotency_key <> event_id COLLATE "C";

-- The dead letters, to be listed from the newest.
CREATE INDEX IF NOT EXISTS {name}_dead ON {table} (created_at, event_id) WHERE status = 3;

-- What retention scans: kept says whether the payload is still there.
CREATE INDEX IF NOT EXISTS {name}_done ON {table} (kept, done_at) WHERE status = 1;
