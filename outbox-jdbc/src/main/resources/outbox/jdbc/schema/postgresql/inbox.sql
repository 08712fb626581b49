-- The table of the inbox: messages from outside by their key. Its gate, its leases and its codes 0 to 3
-- are those of the outbox; 4 is seen without content, 5 is processed by the caller. kept says whether
-- the payload is still there. content_version moves when an enqueue really changes topic or payload.
-- The key begins with the message's id, which tells most rows apart; their source seldom does.

CREATE TABLE IF NOT EXISTS {table} (
  event_id VARCHAR(36) COLLATE "C" PRIMARY KEY,
  source VARCHAR(255) COLLATE "C" NOT NULL,
  message_id VARCHAR(255) COLLATE "C" NOT NULL,
  topic VARCHAR(255) COLLATE "C",
  payload TEXT COLLATE "C",
  headers TEXT COLLATE "C",
  hash BYTEA,
  content_version INT NOT NULL DEFAULT 1,
  status SMALLINT NOT NULL,
  attempts INT NOT NULL DEFAULT 0,
  available_at TIMESTAMPTZ(6) NOT NULL,
  due_at TIMESTAMPTZ(6),
  owner_token VARCHAR(64) COLLATE "C",
  processed_by VARCHAR(64) COLLATE "C",
  started SMALLINT NOT NULL DEFAULT 0,
  lease_expiries INT NOT NULL DEFAULT 0,
  last_error TEXT COLLATE "C",
  listeners TEXT COLLATE "C",
  first_seen_at TIMESTAMPTZ(6) NOT NULL,
  seen_again_at TIMESTAMPTZ(6),
  done_at TIMESTAMPTZ(6),
  kept SMALLINT NOT NULL DEFAULT 1,
  replays INT NOT NULL DEFAULT 0,
  replayed_at TIMESTAMPTZ(6),
  replayed_by VARCHAR(64) COLLATE "C",
  CONSTRAINT {name}_key UNIQUE (message_id, source),
  CONSTRAINT {name}_content
    CHECK (status NOT IN (0, 2) OR (topic IS NOT NULL AND payload IS NOT NULL))
);

-- What a claim scans: live rows only, in the order in which they become available.
CREATE INDEX IF NOT EXISTS {name}_claim ON {table} (available_at, event_id) WHERE status IN (0, 2);

-- What retention scans, and the list of dead letters.
CREATE INDEX IF NOT EXISTS {name}_done ON {table} (kept, done_at) WHERE status = 1;
CREATE INDEX IF NOT EXISTS {name}_dead ON {table} (first_seen_at, event_id) WHERE status = 3;

-- As for the outbox: all rows change within minutes, and the defaults wait too long.
ALTER TABLE {table} SET (
  fillfactor = 80,
  autovacuum_vacuum_scale_factor = 0.01,
  autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_insert_scale_factor = 0.05,
  autovacuum_analyze_scale_factor = 0.05,
  autovacuum_analyze_threshold = 5000,
  autovacuum_vacuum_cost_delay = 1
);
