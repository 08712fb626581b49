-- Version 3: the producer's key, and the trace of replays. Only adds, as version 2 does.

ALTER TABLE {table}
  ADD COLUMN IF NOT EXISTS idempotency_key VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  ADD COLUMN IF NOT EXISTS replays INT NOT NULL DEFAULT 0,
  ADD COLUMN IF NOT EXISTS replayed_at DATETIME(6),
  ADD COLUMN IF NOT EXISTS replayed_by VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  ADD COLUMN IF NOT EXISTS kept SMALLINT NOT NULL DEFAULT 1,
  LOCK = NONE;

-- One row for a key of a tenant, no tenant being one as well. An event without a key of its producer has its
-- own id for one, which the primary key guards already: null here, and so not compared. The last of the
-- three is for the dead letters, to be listed from the newest.
ALTER TABLE {table}
  ADD COLUMN IF NOT EXISTS key_tenant VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
    GENERATED ALWAYS AS (CASE WHEN idempotency_key <> event_id THEN COALESCE(tenant_id, '') END) VIRTUAL,
  ADD COLUMN IF NOT EXISTS key_given VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
    GENERATED ALWAYS AS (CASE WHEN idempotency_key <> event_id THEN idempotency_key END) VIRTUAL,
  ADD COLUMN IF NOT EXISTS dead_created_at DATETIME(6)
    GENERATED ALWAYS AS (CASE WHEN status = 3 THEN created_at END) VIRTUAL,
  LOCK = NONE;

CREATE UNIQUE INDEX IF NOT EXISTS {name}_key ON {table} (key_tenant, key_given)
  ALGORITHM = INPLACE LOCK = SHARED;

CREATE INDEX IF NOT EXISTS {name}_dead ON {table} (dead_created_at, event_id)
  ALGORITHM = INPLACE LOCK = SHARED;

-- What retention scans: kept says whether the payload is still there, done_at is of completed rows only.
CREATE INDEX IF NOT EXISTS {name}_done ON {table} (kept, done_at)
  ALGORITHM = INPLACE LOCK = SHARED;
