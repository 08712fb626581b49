-- Tables of the outbox for an empty PostgreSQL database: version 5, complete.
-- An existing outbox_event of an older version needs the upgrade instead: outbox schema migrate.

-- One row for each event or work item. Texts compare by their bytes.
CREATE TABLE outbox_event (
  -- Primary key; by default a ULID, which grows with time.
  event_id VARCHAR(36) COLLATE "C" PRIMARY KEY,

  -- Topic that listeners subscribe to.
  event_type VARCHAR(255) COLLATE "C" NOT NULL,

  -- What the event is about. The library does not interpret it.
  aggregate_type VARCHAR(64) COLLATE "C",
  aggregate_id VARCHAR(128) COLLATE "C",

  -- Tenant: passed on to listeners, and scope of the idempotency key.
  tenant_id VARCHAR(64) COLLATE "C",

  -- For tracing. The library does not interpret it.
  correlation_id VARCHAR(255) COLLATE "C",

  -- Key that the producer set to publish an event only once; otherwise equal to event_id.
  idempotency_key VARCHAR(64) COLLATE "C" NOT NULL,

  -- Payload, in one of the two columns, unchanged. Both are null once retention has cleared the payload.
  payload_text TEXT COLLATE "C",
  payload_bytes BYTEA,

  -- JSON object of strings; null if there are no headers.
  headers JSON,

  -- 0 NEW, 1 DONE, 2 RETRY, 3 DEAD, 6 WAITING for an earlier row of its ordering key. A claim finds 0 and 2
  -- only. "In progress" is not a status but a lease: see owner_token.
  status SMALLINT NOT NULL,

  -- Failed deliveries.
  attempts INT NOT NULL DEFAULT 0,

  -- Instant from which any node may claim the row: due time, time of the next retry, or end of the lease. For a
  -- DEAD row, the time of death.
  available_at TIMESTAMPTZ(6) NOT NULL,

  -- When the event occurred, by the producer.
  occurred_at TIMESTAMPTZ(6),

  -- Not delivered before due_at, and not after expires_at.
  due_at TIMESTAMPTZ(6),
  expires_at TIMESTAMPTZ(6),

  -- Time of the insert and of the completion, by the database's clock.
  created_at TIMESTAMPTZ(6) NOT NULL,
  done_at TIMESTAMPTZ(6),

  -- Token of the node or worker that holds the lease; null without a lease. Every change of the row checks it.
  owner_token VARCHAR(64) COLLATE "C",

  -- Token of the lease that completed the row.
  processed_by VARCHAR(64) COLLATE "C",

  -- Distinguish an event that kills its process from the events that ran beside it. started: 0 no lease has
  -- expired, 1 a lease has expired, 2 delivered again after that. lease_expiries: leases that expired in state
  -- 2.
  started SMALLINT NOT NULL DEFAULT 0,
  lease_expiries INT NOT NULL DEFAULT 0,

  -- Class and message of the last failure; null once DONE.
  last_error TEXT COLLATE "C",

  -- JSON object with the outcome of each listener of a failed event; null while nothing has failed.
  listeners TEXT COLLATE "C",

  -- How often an operator replayed the event, when last, and who.
  replays INT NOT NULL DEFAULT 0,
  replayed_at TIMESTAMPTZ(6),
  replayed_by VARCHAR(64) COLLATE "C",

  -- 0 once retention has cleared the payload.
  kept SMALLINT NOT NULL DEFAULT 1,

  -- Rows of one key are handled one at a time, in order; null for a row without order.
  ordering_key VARCHAR(255) COLLATE "C",

  -- A live row has a payload.
  CONSTRAINT outbox_event_payload
    CHECK (status NOT IN (0, 2) OR payload_text IS NOT NULL OR payload_bytes IS NOT NULL)
) WITH (
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
CREATE INDEX outbox_event_claim ON outbox_event (available_at, event_id) WHERE status IN (0, 2);

-- One row for each key of a tenant. Rows without a key of the producer are not in the index: the primary key
-- already makes event_id unique.
CREATE UNIQUE INDEX outbox_event_key ON outbox_event (COALESCE(tenant_id, ''), idempotency_key)
WHERE idempotency_key <> event_id COLLATE "C";

-- Dead letters, listed from the newest.
CREATE INDEX outbox_event_dead ON outbox_event (created_at, event_id) WHERE status = 3;

-- Retention removes completed rows, and clears their payloads, in this order.
CREATE INDEX outbox_event_done ON outbox_event (kept, done_at) WHERE status = 1;

-- Ordering keys, each with the last place that it has given. Only events with an ordering key touch this table.
CREATE TABLE outbox_event_keys (
  ordering_key VARCHAR(255) COLLATE "C" NOT NULL PRIMARY KEY,
  last_seq BIGINT NOT NULL,

  -- Equal to last_seq once all events of the key have ended, and since when.
  ended_seq BIGINT NOT NULL,
  idle_at TIMESTAMPTZ(6)
) WITH (
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 5000,
  autovacuum_analyze_scale_factor = 0.05,
  autovacuum_vacuum_cost_delay = 1
);

-- Places of events in the order of their keys, until the events have ended.
CREATE TABLE outbox_event_ordered (
  ordering_key VARCHAR(255) COLLATE "C" NOT NULL,
  seq BIGINT NOT NULL,
  event_id VARCHAR(36) COLLATE "C" NOT NULL,
  PRIMARY KEY (ordering_key, seq)
) WITH (
  autovacuum_vacuum_scale_factor = 0.01,
  autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_insert_scale_factor = 0.05,
  autovacuum_analyze_scale_factor = 0.05,
  autovacuum_analyze_threshold = 5000,
  autovacuum_vacuum_cost_delay = 1
);

-- Installed versions of this schema. An application refuses to start if its library needs a newer version.
CREATE TABLE outbox_event_schema (
  version INT NOT NULL PRIMARY KEY,
  installed_at TIMESTAMPTZ(6) DEFAULT now() NOT NULL
);

INSERT INTO outbox_event_schema (version) VALUES (5);
