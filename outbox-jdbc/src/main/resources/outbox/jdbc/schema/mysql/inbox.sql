-- The table of the inbox: messages from outside by their key. Its gate, its leases and its codes 0 to 3
-- are those of the outbox; 4 is seen without content, 5 is processed by the caller. kept says whether
-- the payload is still there. content_version moves when an enqueue really changes topic or payload.
-- The key begins with the message's id, which tells most rows apart; their source seldom does.
-- The collation tells keys apart that differ by blanks at their end only.

CREATE TABLE IF NOT EXISTS {table} (
  event_id VARCHAR(36) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PRIMARY KEY,
  source VARCHAR(255) NOT NULL,
  message_id VARCHAR(255) NOT NULL,
  topic VARCHAR(255),
  payload LONGTEXT,
  headers LONGTEXT,
  hash VARBINARY(1024),
  content_version INT NOT NULL DEFAULT 1,
  status TINYINT NOT NULL,
  attempts INT NOT NULL DEFAULT 0,
  available_at DATETIME(6) NOT NULL,
  due_at DATETIME(6),
  owner_token VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  processed_by VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  started SMALLINT NOT NULL DEFAULT 0,
  lease_expiries INT NOT NULL DEFAULT 0,
  last_error LONGTEXT,
  listeners LONGTEXT,
  first_seen_at DATETIME(6) NOT NULL,
  seen_again_at DATETIME(6),
  done_at DATETIME(6),
  kept SMALLINT NOT NULL DEFAULT 1,
  replays INT NOT NULL DEFAULT 0,
  replayed_at DATETIME(6),
  replayed_by VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  claimable_at DATETIME(6)
    GENERATED ALWAYS AS (CASE WHEN status IN (0, 2) THEN available_at END) VIRTUAL,
  dead_first_seen_at DATETIME(6)
    GENERATED ALWAYS AS (CASE WHEN status = 3 THEN first_seen_at END) VIRTUAL,
  UNIQUE INDEX idx_key (message_id, source),
  INDEX idx_claim (claimable_at, event_id),
  INDEX idx_done (status, kept, done_at),
  INDEX {name}_dead (dead_first_seen_at, event_id),
  CONSTRAINT {name}_content
    CHECK (status NOT IN (0, 2) OR (topic IS NOT NULL AND payload IS NOT NULL))
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin;
