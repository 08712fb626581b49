-- Tables of the outbox for an empty SQL Server database: version 5, complete.
-- An existing outbox_event of an older version needs the upgrade instead: outbox schema migrate.

-- Filtered indexes and indexes on computed columns need these settings.
SET QUOTED_IDENTIFIER ON;
GO

SET ANSI_NULLS ON;
GO

-- One row for each event or work item. All instants are UTC. Texts compare by their bytes.
CREATE TABLE outbox_event (
  -- Primary key; by default a ULID, which grows with time.
  event_id NVARCHAR(36) COLLATE Latin1_General_100_BIN2 NOT NULL PRIMARY KEY,

  -- Topic that listeners subscribe to.
  event_type NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,

  -- What the event is about. The library does not interpret it.
  aggregate_type NVARCHAR(64) COLLATE Latin1_General_100_BIN2,
  aggregate_id NVARCHAR(128) COLLATE Latin1_General_100_BIN2,

  -- Tenant: passed on to listeners, and scope of the idempotency key.
  tenant_id NVARCHAR(64) COLLATE Latin1_General_100_BIN2,

  -- For tracing. The library does not interpret it.
  correlation_id NVARCHAR(255) COLLATE Latin1_General_100_BIN2,

  -- Key that the producer set to publish an event only once; otherwise equal to event_id. Required by the check
  -- outbox_event_keyed: SQL Server alters no column that computed columns use, so an upgraded table cannot get
  -- NOT NULL.
  idempotency_key NVARCHAR(64) COLLATE Latin1_General_100_BIN2,

  -- Payload, in one of the two columns, unchanged. Both are null once retention has cleared the payload.
  payload_text NVARCHAR(MAX) COLLATE Latin1_General_100_BIN2,
  payload_bytes VARBINARY(MAX),

  -- JSON object of strings; null if there are no headers.
  headers NVARCHAR(MAX) COLLATE Latin1_General_100_BIN2,

  -- 0 NEW, 1 DONE, 2 RETRY, 3 DEAD, 6 WAITING for an earlier row of its ordering key. A claim finds 0 and 2
  -- only. "In progress" is not a status but a lease: see owner_token.
  status TINYINT NOT NULL,

  -- Failed deliveries.
  attempts INT NOT NULL DEFAULT 0,

  -- Instant from which any node may claim the row: due time, time of the next retry, or end of the lease. For a
  -- DEAD row, the time of death.
  available_at DATETIME2(6) NOT NULL,

  -- When the event occurred, by the producer.
  occurred_at DATETIME2(6),

  -- Not delivered before due_at, and not after expires_at.
  due_at DATETIME2(6),
  expires_at DATETIME2(6),

  -- Time of the insert and of the completion, by the database's clock.
  created_at DATETIME2(6) NOT NULL,
  done_at DATETIME2(6),

  -- Token of the node or worker that holds the lease; null without a lease. Every change of the row checks it.
  owner_token NVARCHAR(64) COLLATE Latin1_General_100_BIN2,

  -- Token of the lease that completed the row.
  processed_by NVARCHAR(64) COLLATE Latin1_General_100_BIN2,

  -- Distinguish an event that kills its process from the events that ran beside it. started: 0 no lease has
  -- expired, 1 a lease has expired, 2 delivered again after that. lease_expiries: leases that expired in state
  -- 2.
  started SMALLINT NOT NULL DEFAULT 0,
  lease_expiries INT NOT NULL DEFAULT 0,

  -- Class and message of the last failure; null once DONE.
  last_error NVARCHAR(MAX) COLLATE Latin1_General_100_BIN2,

  -- JSON object with the outcome of each listener of a failed event; null while nothing has failed.
  listeners NVARCHAR(MAX) COLLATE Latin1_General_100_BIN2,

  -- How often an operator replayed the event, when last, and who.
  replays INT NOT NULL DEFAULT 0,
  replayed_at DATETIME2(6),
  replayed_by NVARCHAR(64) COLLATE Latin1_General_100_BIN2,

  -- 0 once retention has cleared the payload.
  kept SMALLINT NOT NULL DEFAULT 1,

  -- Rows of one key are handled one at a time, in order; null for a row without order.
  ordering_key NVARCHAR(255) COLLATE Latin1_General_100_BIN2,

  -- Tenant and key for the unique index. Rows without a key of the producer count by their event_id: SQL Server
  -- treats two nulls as equal, and a filter cannot compare two columns.
  key_tenant AS COALESCE(tenant_id, N''),
  key_given AS CASE WHEN idempotency_key <> event_id THEN N'k' + idempotency_key ELSE N'e' + event_id END,

  -- Every row has a key.
  CONSTRAINT outbox_event_keyed CHECK (idempotency_key IS NOT NULL),

  -- A live row has a payload.
  CONSTRAINT outbox_event_payload
    CHECK (status NOT IN (0, 2) OR payload_text IS NOT NULL OR payload_bytes IS NOT NULL)
);
GO

-- The poller claims due rows in one range scan in this order. Rows that are DONE or DEAD are not in the index.
CREATE INDEX idx_claim ON outbox_event (available_at, event_id) WHERE status IN (0, 2);
GO

-- One row for each key of a tenant.
CREATE UNIQUE INDEX outbox_event_key ON outbox_event (key_tenant, key_given);
GO

-- Dead letters, listed from the newest.
CREATE INDEX outbox_event_dead ON outbox_event (created_at, event_id) WHERE status = 3;
GO

-- Retention removes completed rows, and clears their payloads, in this order.
CREATE INDEX outbox_event_done ON outbox_event (kept, done_at) WHERE status = 1;
GO

-- Ordering keys, each with the last place that it has given. Only events with an ordering key touch this table.
CREATE TABLE outbox_event_keys (
  ordering_key NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL PRIMARY KEY,
  last_seq BIGINT NOT NULL,

  -- Equal to last_seq once all events of the key have ended, and since when.
  ended_seq BIGINT NOT NULL,
  idle_at DATETIME2(6)
);
GO

-- Places of events in the order of their keys, until the events have ended.
CREATE TABLE outbox_event_ordered (
  ordering_key NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
  seq BIGINT NOT NULL,
  event_id NVARCHAR(36) COLLATE Latin1_General_100_BIN2 NOT NULL,
  PRIMARY KEY (ordering_key, seq)
);
GO

-- Installed versions of this schema. An application refuses to start if its library needs a newer version.
CREATE TABLE outbox_event_schema (
  version INT NOT NULL PRIMARY KEY,
  installed_at DATETIME2(6) DEFAULT SYSUTCDATETIME() NOT NULL
);
GO

INSERT INTO outbox_event_schema (version) VALUES (5);
GO
