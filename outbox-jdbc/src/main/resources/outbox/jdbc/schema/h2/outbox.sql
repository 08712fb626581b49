-- Tables of the outbox for an empty H2 database: version 5, complete.
-- An existing outbox_event of an older version needs the upgrade instead: outbox schema migrate.

-- One row for each event or work item. Texts compare by their bytes.
CREATE TABLE outbox_event (
  -- Primary key; by default a ULID, which grows with time.
  event_id VARCHAR(36) PRIMARY KEY,

  -- Topic that listeners subscribe to.
  event_type VARCHAR(255) NOT NULL,

  -- What the event is about. The library does not interpret it.
  aggregate_type VARCHAR(64),
  aggregate_id VARCHAR(128),

  -- Tenant: passed on to listeners, and scope of the idempotency key.
  tenant_id VARCHAR(64),

  -- For tracing. The library does not interpret it.
  correlation_id VARCHAR(255),

  -- Key that the producer set to publish an event only once; otherwise equal to event_id.
  idempotency_key VARCHAR(64) NOT NULL,

  -- Payload, in one of the two columns, unchanged. Both are null once retention has cleared the payload.
  payload_text CHARACTER LARGE OBJECT,
  payload_bytes BINARY LARGE OBJECT,

  -- JSON object of strings; null if there are no headers.
  headers JSON,

  -- 0 NEW, 1 DONE, 2 RETRY, 3 DEAD, 6 WAITING for an earlier row of its ordering key. A claim finds 0 and 2
  -- only. "In progress" is not a status but a lease: see owner_token.
  status TINYINT NOT NULL,

  -- Failed deliveries.
  attempts INT DEFAULT 0 NOT NULL,

  -- Instant from which any node may claim the row: due time, time of the next retry, or end of the lease. For a
  -- DEAD row, the time of death.
  available_at TIMESTAMP(6) WITH TIME ZONE NOT NULL,

  -- When the event occurred, by the producer.
  occurred_at TIMESTAMP(6) WITH TIME ZONE,

  -- Not delivered before due_at, and not after expires_at.
  due_at TIMESTAMP(6) WITH TIME ZONE,
  expires_at TIMESTAMP(6) WITH TIME ZONE,

  -- Time of the insert and of the completion, by the database's clock.
  created_at TIMESTAMP(6) WITH TIME ZONE NOT NULL,
  done_at TIMESTAMP(6) WITH TIME ZONE,

  -- Token of the node or worker that holds the lease; null without a lease. Every change of the row checks it.
  owner_token VARCHAR(64),

  -- Token of the lease that completed the row.
  processed_by VARCHAR(64),

  -- Distinguish an event that kills its process from the events that ran beside it. started: 0 no lease has
  -- expired, 1 a lease has expired, 2 delivered again after that. lease_expiries: leases that expired in state
  -- 2.
  started SMALLINT DEFAULT 0 NOT NULL,
  lease_expiries INT DEFAULT 0 NOT NULL,

  -- Class and message of the last failure; null once DONE.
  last_error CHARACTER LARGE OBJECT,

  -- JSON object with the outcome of each listener of a failed event; null while nothing has failed.
  listeners CHARACTER LARGE OBJECT,

  -- How often an operator replayed the event, when last, and who.
  replays INT DEFAULT 0 NOT NULL,
  replayed_at TIMESTAMP(6) WITH TIME ZONE,
  replayed_by VARCHAR(64),

  -- 0 once retention has cleared the payload.
  kept SMALLINT DEFAULT 1 NOT NULL,

  -- Rows of one key are handled one at a time, in order; null for a row without order.
  ordering_key VARCHAR(255),

  -- available_at while the row is live, otherwise null: H2 has no partial indexes, and an index on this column
  -- does the same. CASE instead of IN: with IN, H2 2.4.240 keeps the session that parsed the expression, and
  -- inserts fail once it is closed.
  claimable_at TIMESTAMP(6) WITH TIME ZONE
    GENERATED ALWAYS AS (CASE status WHEN 0 THEN available_at WHEN 2 THEN available_at END),

  -- Tenant and key for the unique index if the producer set a key, otherwise null: the primary key already
  -- makes event_id unique.
  key_tenant VARCHAR(64)
    GENERATED ALWAYS AS (CASE WHEN idempotency_key <> event_id THEN COALESCE(tenant_id, '') END),
  key_given VARCHAR(64)
    GENERATED ALWAYS AS (CASE WHEN idempotency_key <> event_id THEN idempotency_key END),

  -- created_at of DEAD rows, otherwise null, for the index of dead letters.
  dead_created_at TIMESTAMP(6) WITH TIME ZONE
    GENERATED ALWAYS AS (CASE status WHEN 3 THEN created_at END),

  -- A live row has a payload.
  CONSTRAINT outbox_event_payload
    CHECK ((status <> 0 AND status <> 2) OR payload_text IS NOT NULL OR payload_bytes IS NOT NULL)
);

-- The poller claims due rows in one range scan in this order. Rows that are DONE or DEAD have a null here and
-- sort before all others.
CREATE INDEX outbox_event_claim ON outbox_event (claimable_at, event_id);

-- One row for each key of a tenant.
CREATE UNIQUE INDEX outbox_event_key ON outbox_event (key_tenant, key_given);

-- Dead letters, listed from the newest.
CREATE INDEX outbox_event_dead ON outbox_event (dead_created_at, event_id);

-- Retention removes completed rows, and clears their payloads, in this order.
CREATE INDEX outbox_event_done ON outbox_event (kept, done_at);

-- Ordering keys, each with the last place that it has given. Only events with an ordering key touch this table.
CREATE TABLE outbox_event_keys (
  ordering_key VARCHAR(255) NOT NULL PRIMARY KEY,
  last_seq BIGINT NOT NULL,

  -- Equal to last_seq once all events of the key have ended, and since when.
  ended_seq BIGINT NOT NULL,
  idle_at TIMESTAMP(6) WITH TIME ZONE
);

-- Places of events in the order of their keys, until the events have ended.
CREATE TABLE outbox_event_ordered (
  ordering_key VARCHAR(255) NOT NULL,
  seq BIGINT NOT NULL,
  event_id VARCHAR(36) NOT NULL,
  PRIMARY KEY (ordering_key, seq)
);

-- Installed versions of this schema. An application refuses to start if its library needs a newer version.
CREATE TABLE outbox_event_schema (
  version INT NOT NULL PRIMARY KEY,
  installed_at TIMESTAMP(6) WITH TIME ZONE DEFAULT CURRENT_TIMESTAMP NOT NULL
);

INSERT INTO outbox_event_schema (version) VALUES (5);
