-- Table of the inbox for an empty MariaDB database.

-- One row for each message from outside. All instants are UTC. Texts compare by their bytes, trailing blanks
-- included.
CREATE TABLE outbox_inbox (
  -- Primary key; by default a ULID, which grows with time.
  event_id VARCHAR(36) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PRIMARY KEY,

  -- Key of the message: sender, and the sender's id of the message.
  source VARCHAR(255) NOT NULL,
  message_id VARCHAR(255) NOT NULL,

  -- Topic and payload. Null in a row that was only seen; the payload is also null once retention has cleared
  -- it.
  topic VARCHAR(255),
  payload LONGTEXT,

  -- JSON object of strings; null if there are no headers.
  headers LONGTEXT,

  -- Hash of the content, as the caller gave it.
  hash VARBINARY(1024),

  -- Increases when an enqueue changes topic or payload. The completion of older content does not complete the
  -- newer one.
  content_version INT NOT NULL DEFAULT 1,

  -- 0 NEW, 1 DONE, 2 RETRY, 3 DEAD, 4 seen without content, 5 processed by the caller. A row is live in 0 and
  -- 2. "In progress" is not a status but a lease: see owner_token.
  status TINYINT NOT NULL,

  -- Failed deliveries.
  attempts INT NOT NULL DEFAULT 0,

  -- Instant from which any node may claim the row: due time, time of the next retry, or end of the lease.
  available_at DATETIME(6) NOT NULL,

  -- Not delivered before.
  due_at DATETIME(6),

  -- Token of the node or worker that holds the lease; null without a lease. Every change of the row checks it.
  owner_token VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,

  -- Token of the lease that completed the row.
  processed_by VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,

  -- Distinguish a message that kills its process from the messages that ran beside it. started: 0 no lease has
  -- expired, 1 a lease has expired, 2 delivered again after that. lease_expiries: leases that expired in state
  -- 2.
  started SMALLINT NOT NULL DEFAULT 0,
  lease_expiries INT NOT NULL DEFAULT 0,

  -- Class and message of the last failure; null once DONE.
  last_error LONGTEXT,

  -- JSON object with the outcome of each listener of a failed message; null while nothing has failed.
  listeners LONGTEXT,

  -- First receipt and last receipt after it, by the database's clock. seen_again_at is null while the message
  -- arrived only once.
  first_seen_at DATETIME(6) NOT NULL,
  seen_again_at DATETIME(6),

  -- Time of the completion, by the database's clock.
  done_at DATETIME(6),

  -- 0 once retention has cleared the payload.
  kept SMALLINT NOT NULL DEFAULT 1,

  -- How often an operator replayed the message, when last, and who.
  replays INT NOT NULL DEFAULT 0,
  replayed_at DATETIME(6),
  replayed_by VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,

  -- available_at while the row is live, otherwise null: MariaDB has no partial indexes, and an index on this
  -- column does the same.
  claimable_at DATETIME(6)
    GENERATED ALWAYS AS (CASE WHEN status IN (0, 2) THEN available_at END) VIRTUAL,

  -- first_seen_at of DEAD rows, otherwise null, for the index of dead messages.
  dead_first_seen_at DATETIME(6)
    GENERATED ALWAYS AS (CASE WHEN status = 3 THEN first_seen_at END) VIRTUAL,

  -- A message is stored once. The id comes first because it distinguishes more rows than the source.
  UNIQUE INDEX idx_key (message_id, source),

  -- The poller claims due rows in one range scan in this order. Rows that are DONE or DEAD have a null here and
  -- sort before all others.
  INDEX idx_claim (claimable_at, event_id),

  -- Retention removes completed rows, and clears their payloads, in this order.
  INDEX idx_done (status, kept, done_at),

  -- Dead messages, listed from the newest.
  INDEX outbox_inbox_dead (dead_first_seen_at, event_id),

  -- A live row has a topic and a payload.
  CONSTRAINT outbox_inbox_content
    CHECK (status NOT IN (0, 2) OR (topic IS NOT NULL AND payload IS NOT NULL))
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
