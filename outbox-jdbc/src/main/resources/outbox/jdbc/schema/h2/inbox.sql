-- The table of the inbox: messages from outside by their key. Its gate, its leases and its codes 0 to 3
-- are those of the outbox; 4 is seen without content, 5 is processed by the caller. kept says whether
-- the payload is still there. content_version moves when an enqueue really changes topic or payload.
-- The key begins with the message's id, which tells most rows apart; their source seldom does.

CREATE TABLE IF NOT EXISTS {table} (
  event_id VARCHAR(36) PRIMARY KEY,
  source VARCHAR(255) NOT NULL,
  message_id VARCHAR(255) NOT NULL,
  topic VARCHAR(255),
  payload CHARACTER LARGE OBJECT,
  headers CHARACTER LARGE OBJECT,
  hash VARBINARY(1024),
  content_version INT DEFAULT 1 NOT NULL,
  status TINYINT NOT NULL,
  attempts INT DEFAULT 0 NOT NULL,
  available_at TIMESTAMP(6) WITH TIME ZONE NOT NULL,
  due_at TIMESTAMP(6) WITH TIME ZONE,
  owner_token VARCHAR(64),
  processed_by VARCHAR(64),
  started SMALLINT DEFAULT 0 NOT NULL,
  lease_expiries INT DEFAULT 0 NOT NULL,
  last_error CHARACTER LARGE OBJECT,
  listeners CHARACTER LARGE OBJECT,
  first_seen_at TIMESTAMP(6) WITH TIME ZONE NOT NULL,
  seen_again_at TIMESTAMP(6) WITH TIME ZONE,
  done_at TIMESTAMP(6) WITH TIME ZONE,
  kept SMALLINT DEFAULT 1 NOT NULL,
  replays INT DEFAULT 0 NOT NULL,
  replayed_at TIMESTAMP(6) WITH TIME ZONE,
  replayed_by VARCHAR(64),
  claimable_at TIMESTAMP(6) WITH TIME ZONE
    GENERATED ALWAYS AS (CASE status WHEN 0 THEN available_at WHEN 2 THEN available_at END),
  dead_first_seen_at TIMESTAMP(6) WITH TIME ZONE
    GENERATED ALWAYS AS (CASE status WHEN 3 THEN first_seen_at END),
  CONSTRAINT {name}_key UNIQUE (message_id, source),
  CONSTRAINT {name}_content
    CHECK ((status <> 0 AND status <> 2) OR (topic IS NOT NULL AND payload IS NOT NULL))
);

-- What a claim scans: available_at of live rows only, in the order in which they become available.
CREATE INDEX IF NOT EXISTS {name}_claim ON {table} (claimable_at, event_id);

-- What retention scans, and the list of dead letters.
CREATE INDEX IF NOT EXISTS {name}_done ON {table} (status, kept, done_at);
CREATE INDEX IF NOT EXISTS {name}_dead ON {table} (dead_first_seen_at, event_id);
