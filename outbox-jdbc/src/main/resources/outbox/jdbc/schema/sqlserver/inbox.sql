-- The table of the inbox: messages from outside by their key. Its gate, its leases and its codes 0 to 3
-- are those of the outbox; 4 is seen without content, 5 is processed by the caller. kept says whether
-- the payload is still there. content_version moves when an enqueue really changes topic or payload.
-- The key begins with the message's id, which tells most rows apart; their source seldom does.

IF OBJECT_ID(N'{table}', N'U') IS NULL
CREATE TABLE {table} (
  event_id NVARCHAR(36) COLLATE Latin1_General_100_BIN2 NOT NULL PRIMARY KEY,
  source NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
  message_id NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
  topic NVARCHAR(255) COLLATE Latin1_General_100_BIN2,
  payload NVARCHAR(MAX) COLLATE Latin1_General_100_BIN2,
  headers NVARCHAR(MAX) COLLATE Latin1_General_100_BIN2,
  hash VARBINARY(1024),
  content_version INT NOT NULL DEFAULT 1,
  status TINYINT NOT NULL,
  attempts INT NOT NULL DEFAULT 0,
  available_at DATETIME2(6) NOT NULL,
  due_at DATETIME2(6),
  owner_token NVARCHAR(64) COLLATE Latin1_General_100_BIN2,
  processed_by NVARCHAR(64) COLLATE Latin1_General_100_BIN2,
  started SMALLINT NOT NULL DEFAULT 0,
  lease_expiries INT NOT NULL DEFAULT 0,
  last_error NVARCHAR(MAX) COLLATE Latin1_General_100_BIN2,
  listeners NVARCHAR(MAX) COLLATE Latin1_General_100_BIN2,
  first_seen_at DATETIME2(6) NOT NULL,
  seen_again_at DATETIME2(6),
  done_at DATETIME2(6),
  kept SMALLINT NOT NULL DEFAULT 1,
  replays INT NOT NULL DEFAULT 0,
  replayed_at DATETIME2(6),
  replayed_by NVARCHAR(64) COLLATE Latin1_General_100_BIN2,
  CONSTRAINT {name}_key UNIQUE (message_id, source),
  CONSTRAINT {name}_content
    CHECK (status NOT IN (0, 2) OR (topic IS NOT NULL AND payload IS NOT NULL)),
  INDEX idx_done (status, kept, done_at)
);

-- What a claim scans: live rows only, in the order in which they become available.
IF NOT EXISTS (SELECT 1 FROM sys.indexes WHERE name = N'idx_claim' AND object_id = OBJECT_ID(N'{table}'))
CREATE INDEX idx_claim ON {table} (available_at, event_id) WHERE status IN (0, 2);

-- The dead letters, to be listed from the newest.
IF NOT EXISTS (SELECT 1 FROM sys.indexes WHERE name = N'idx_dead' AND object_id = OBJECT_ID(N'{table}'))
CREATE INDEX idx_dead ON {table} (first_seen_at, event_id) WHERE status = 3;
