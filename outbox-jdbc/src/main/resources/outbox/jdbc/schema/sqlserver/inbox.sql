-- Table of the inbox for an empty SQL Server database.

-- Filtered indexes and indexes on computed columns need these settings.
SET QUOTED_IDENTIFIER ON;
GO

SET ANSI_NULLS ON;
GO

-- One row for each message from outside. All instants are UTC. Texts compare by their bytes.
CREATE TABLE outbox_inbox (
  -- Primary key; by default a ULID, which grows with time.
  event_id NVARCHAR(36) COLLATE Latin1_General_100_BIN2 NOT NULL PRIMARY KEY,

  -- Key of the message: sender, and the sender's id of the message.
  source NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
  message_id NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,

  -- Topic and payload. Null in a row that was only seen; the payload is also null once retention has cleared
  -- it.
  topic NVARCHAR(255) COLLATE Latin1_General_100_BIN2,
  payload NVARCHAR(MAX) COLLATE Latin1_General_100_BIN2,

  -- JSON object of strings; null if there are no headers.
  headers NVARCHAR(MAX) COLLATE Latin1_General_100_BIN2,

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
  available_at DATETIME2(6) NOT NULL,

  -- Not delivered before.
  due_at DATETIME2(6),

  -- Token of the node or worker that holds the lease; null without a lease. Every change of the row checks it.
  owner_token NVARCHAR(64) COLLATE Latin1_General_100_BIN2,

  -- Token of the lease that completed the row.
  processed_by NVARCHAR(64) COLLATE Latin1_General_100_BIN2,

  -- Distinguish a message that kills its process from the messages that ran beside it. started: 0 no lease has
  -- expired, 1 a lease has expired, 2 delivered again after that. lease_expiries: leases that expired in state
  -- 2.
  started SMALLINT NOT NULL DEFAULT 0,
  lease_expiries INT NOT NULL DEFAULT 0,

  -- Class and message of the last failure; null once DONE.
  last_error NVARCHAR(MAX) COLLATE Latin1_General_100_BIN2,

  -- JSON object with the outcome of each listener of a failed message; null while nothing has failed.
  listeners NVARCHAR(MAX) COLLATE Latin1_General_100_BIN2,

  -- First receipt and last receipt after it, by the database's clock. seen_again_at is null while the message
  -- arrived only once.
  first_seen_at DATETIME2(6) NOT NULL,
  seen_again_at DATETIME2(6),

  -- Time of the completion, by the database's clock.
  done_at DATETIME2(6),

  -- 0 once retention has cleared the payload.
  kept SMALLINT NOT NULL DEFAULT 1,

  -- How often an operator replayed the message, when last, and who.
  replays INT NOT NULL DEFAULT 0,
  replayed_at DATETIME2(6),
  replayed_by NVARCHAR(64) COLLATE Latin1_General_100_BIN2,

  -- A message is stored once. The id comes first because it distinguishes more rows than the source.
  CONSTRAINT outbox_inbox_key UNIQUE (message_id, source),

  -- Retention removes completed rows, and clears their payloads, in this order.
  INDEX idx_done (status, kept, done_at),

  -- A live row has a topic and a payload.
  CONSTRAINT outbox_inbox_content
    CHECK (status NOT IN (0, 2) OR (topic IS NOT NULL AND payload IS NOT NULL))
);
GO

-- The poller claims due rows in one range scan in this order. Rows that are DONE or DEAD are not in the index.
CREATE INDEX idx_claim ON outbox_inbox (available_at, event_id) WHERE status IN (0, 2);
GO

-- Dead messages, listed from the newest.
CREATE INDEX idx_dead ON outbox_inbox (first_seen_at, event_id) WHERE status = 3;
GO
