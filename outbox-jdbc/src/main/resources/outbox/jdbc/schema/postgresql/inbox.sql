-- Table of the inbox for an empty PostgreSQL database.

-- One row for each message from outside. Texts compare by their bytes.
CREATE TABLE outbox_inbox (
  -- Primary key; by default a ULID, which grows with time.
  event_id VARCHAR(36) COLLATE "C" PRIMARY KEY,

  -- Key of the message: sender, and the sender's id of the message.
  source VARCHAR(255) COLLATE "C" NOT NULL,
  message_id VARCHAR(255) COLLATE "C" NOT NULL,

  -- Topic and payload. Null in a row that was only seen; the payload is also null once retention has cleared
  -- it.
  topic VARCHAR(255) COLLATE "C",
  payload TEXT COLLATE "C",

  -- JSON object of strings; null if there are no headers.
  headers TEXT COLLATE "C",

  -- Hash of the content, as the caller gave it.
  hash BYTEA,

  -- Increases when an enqueue changes topic or payload. The completion of older content does not complete the
  -- newer one.
  content_version INT NOT NULL DEFAULT 1,

  -- 0 NEW, 1 DONE, 2 RETRY, 3 DEAD, 4 seen without content, 5 processed by the caller. A row is live in 0 and
  -- 2. "In progress" is not a status but a lease: see owner_token.
  status SMALLINT NOT NULL,

  -- Failed deliveries.
  attempts INT NOT NULL DEFAULT 0,

  -- Instant from which any node may claim the row: due time, time of the next retry, or end of the lease.
  available_at TIMESTAMPTZ(6) NOT NULL,

  -- Not delivered before.
  due_at TIMESTAMPTZ(6),

  -- Token of the node or worker that holds the lease; null without a lease. Every change of the row checks it.
  owner_token VARCHAR(64) COLLATE "C",

  -- Token of the lease that completed the row.
  processed_by VARCHAR(64) COLLATE "C",

  -- Distinguish a message that kills its process from the messages that ran beside it. started: 0 no lease has
  -- expired, 1 a lease has expired, 2 delivered again after that. lease_expiries: leases that expired in state
  -- 2.
  started SMALLINT NOT NULL DEFAULT 0,
  lease_expiries INT NOT NULL DEFAULT 0,

  -- Class and message of the last failure; null once DONE.
  last_error TEXT COLLATE "C",

  -- JSON object with the outcome of each listener of a failed message; null while nothing has failed.
  listeners TEXT COLLATE "C",

  -- First receipt and last receipt after it, by the database's clock. seen_again_at is null while the message
  -- arrived only once.
  first_seen_at TIMESTAMPTZ(6) NOT NULL,
  seen_again_at TIMESTAMPTZ(6),

  -- Time of the completion, by the database's clock.
  done_at TIMESTAMPTZ(6),

  -- 0 once retention has cleared the payload.
  kept SMALLINT NOT NULL DEFAULT 1,

  -- How often an operator replayed the message, when last, and who.
  replays INT NOT NULL DEFAULT 0,
  replayed_at TIMESTAMPTZ(6),
  replayed_by VARCHAR(64) COLLATE "C",

  -- A message is stored once. The id comes first because it distinguishes more rows than the source.
  CONSTRAINT outbox_inbox_key UNIQUE (message_id, source),

  -- A live row has a topic and a payload.
  CONSTRAINT outbox_inbox_content
    CHECK (status NOT IN (0, 2) OR (topic IS NOT NULL AND payload IS NOT NULL))
) WITH (
  -- Free space in each page lets most updates stay in it.
  fillfactor = 80,

  -- A queue changes all its rows within minutes. With the default settings, autovacuum waits until a fifth of
  -- the table is dead.
  autovacuum_vacuum_scale_factor = 0.01,
  autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_insert_scale_factor = 0.05,
  autovacuum_analyze_scale_factor = 0.05,
  autovacuum_analyze_threshold = 5000,
  autovacuum_vacuum_cost_delay = 1
);

-- The poller claims due rows in one range scan in this order. Rows that are DONE or DEAD are not in the index.
CREATE INDEX outbox_inbox_claim ON outbox_inbox (available_at, event_id) WHERE status IN (0, 2);

-- Retention removes completed rows, and clears their payloads, in this order.
CREATE INDEX outbox_inbox_done ON outbox_inbox (kept, done_at) WHERE status = 1;

-- Dead messages, listed from the newest.
CREATE INDEX outbox_inbox_dead ON outbox_inbox (first_seen_at, event_id) WHERE status = 3;
