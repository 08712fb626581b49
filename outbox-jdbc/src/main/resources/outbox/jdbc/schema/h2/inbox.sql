-- Table of the inbox for an empty H2 database.

-- One row for each message from outside. Texts compare by their bytes.
CREATE TABLE outbox_inbox (
  -- Primary key; by default a ULID, which grows with time.
  event_id VARCHAR(36) PRIMARY KEY,

  -- Key of the message: sender, and the sender's id of the message.
  source VARCHAR(255) NOT NULL,
  message_id VARCHAR(255) NOT NULL,

  -- Topic and payload. Null in a row that was only seen; the payload is also null once retention has cleared
  -- it.
  topic VARCHAR(255),
  payload CHARACTER LARGE OBJECT,

  -- JSON object of strings; null if there are no headers.
  headers CHARACTER LARGE OBJECT,

  -- Hash of the content, as the caller gave it.
  hash VARBINARY(1024),

  -- Increases when an enqueue changes topic or payload. The completion of older content does not complete the
  -- newer one.
  content_version INT DEFAULT 1 NOT NULL,

  -- 0 NEW, 1 DONE, 2 RETRY, 3 DEAD, 4 seen without content, 5 processed by the caller. A row is live in 0 and
  -- 2. "In progress" is not a status but a lease: see owner_token.
  status TINYINT NOT NULL,

  -- Failed deliveries.
  attempts INT DEFAULT 0 NOT NULL,

  -- Instant from which any node may claim the row: due time, time of the next retry, or end of the lease.
  available_at TIMESTAMP(6) WITH TIME ZONE NOT NULL,

  -- Not delivered before.
  due_at TIMESTAMP(6) WITH TIME ZONE,

  -- Token of the node or worker that holds the lease; null without a lease. Every change of the row checks it.
  owner_token VARCHAR(64),

  -- Token of the lease that completed the row.
  processed_by VARCHAR(64),

  -- Distinguish a message that kills its process from the messages that ran beside it. started: 0 no lease has
  -- expired, 1 a lease has expired, 2 delivered again after that. lease_expiries: leases that expired in state
  -- 2.
  started SMALLINT DEFAULT 0 NOT NULL,
  lease_expiries INT DEFAULT 0 NOT NULL,

  -- Class and message of the last failure; null once DONE.
  last_error CHARACTER LARGE OBJECT,

  -- JSON object with the outcome of each listener of a failed message; null while nothing has failed.
  listeners CHARACTER LARGE OBJECT,

  -- First receipt and last receipt after it, by the database's clock. seen_again_at is null while the message
  -- arrived only once.
  first_seen_at TIMESTAMP(6) WITH TIME ZONE NOT NULL,
  seen_again_at TIMESTAMP(6) WITH TIME ZONE,

  -- Time of the completion, by the database's clock.
  done_at TIMESTAMP(6) WITH TIME ZONE,

  -- 0 once retention has cleared the payload.
  kept SMALLINT DEFAULT 1 NOT NULL,

  -- How often an operator replayed the message, when last, and who.
  replays INT DEFAULT 0 NOT NULL,
  replayed_at TIMESTAMP(6) WITH TIME ZONE,
  replayed_by VARCHAR(64),

  -- available_at while the row is live, otherwise null: H2 has no partial indexes, and an index on this column
  -- does the same. CASE instead of IN: with IN, H2 2.4.240 keeps the session that parsed the expression, and
  -- inserts fail once it is closed.
  claimable_at TIMESTAMP(6) WITH TIME ZONE
    GENERATED ALWAYS AS (CASE status WHEN 0 THEN available_at WHEN 2 THEN available_at END),

  -- first_seen_at of DEAD rows, otherwise null, for the index of dead messages.
  dead_first_seen_at TIMESTAMP(6) WITH TIME ZONE
    GENERATED ALWAYS AS (CASE status WHEN 3 THEN first_seen_at END),

  -- A message is stored once. The id comes first because it distinguishes more rows than the source.
  CONSTRAINT outbox_inbox_key UNIQUE (message_id, source),

  -- A live row has a topic and a payload.
  CONSTRAINT outbox_inbox_content
    CHECK ((status <> 0 AND status <> 2) OR (topic IS NOT NULL AND payload IS NOT NULL))
);

-- The poller claims due rows in one range scan in this order. Rows that are DONE or DEAD have a null here and
-- sort before all others.
CREATE INDEX outbox_inbox_claim ON outbox_inbox (claimable_at, event_id);

-- Retention removes completed rows, and clears their payloads, in this order.
CREATE INDEX outbox_inbox_done ON outbox_inbox (status, kept, done_at);

-- Dead messages, listed from the newest.
CREATE INDEX outbox_inbox_dead ON outbox_inbox (dead_first_seen_at, event_id);
