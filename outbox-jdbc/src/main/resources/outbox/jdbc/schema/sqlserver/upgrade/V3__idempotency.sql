-- Version 3: the producer's key, and the trace of replays. Only adds, as version 2 does.

ALTER TABLE {table} ADD
  idempotency_key NVARCHAR(64) COLLATE Latin1_General_100_BIN2,
  replays INT NOT NULL DEFAULT 0,
  replayed_at DATETIME2(6),
  replayed_by NVARCHAR(64) COLLATE Latin1_General_100_BIN2,
  kept SMALLINT NOT NULL DEFAULT 1;

-- One row for a key of a tenant, no tenant being one as well. An event without a key of its producer counts
-- by its own id: two nulls would be equal here, and no filter compares two columns.
ALTER TABLE {table} ADD
  key_tenant AS COALESCE(tenant_id, N''),
  key_given AS CASE WHEN idempotency_key <> event_id THEN N'k' + idempotency_key ELSE N'e' + event_id END;

CREATE UNIQUE INDEX {name}_key ON {table} (key_tenant, key_given);

-- The dead letters, to be listed from the newest.
CREATE INDEX {name}_dead ON {table} (created_at, event_id) WHERE status = 3;

-- What retention scans: kept says whether the payload is still there.
CREATE INDEX {name}_done ON {table} (kept, done_at) WHERE status = 1;
