-- Tables of the outbox for an empty MariaDB database: version 5, complete.
-- An existing outbox_event of an older version needs the upgrade instead: outbox schema migrate.

-- One row for each event or work item. All instants are UTC. Texts compare by their bytes.
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
  payload_text LONGTEXT,
  payload_bytes LONGBLOB,

  -- JSON object of strings; null if there are no headers.
  headers JSON,

  -- 0 NEW, 1 DONE, 2 RETRY, 3 DEAD, 6 WAITING for an earlier row of its ordering key. A claim finds 0 and 2
  -- only. "In progress" is not a status but a lease: see owner_token.
  status TINYINT NOT NULL,

  -- Failed deliveries.
  attempts INT NOT NULL DEFAULT 0,

  -- Instant from which any node may claim the row: due time, time of the next retry, or end of the lease. For a
  -- DEAD row, the time of death.
  available_at DATETIME(6) NOT NULL,

  -- When the event occurred, by the producer.
  occurred_at DATETIME(6),

  -- Not delivered before due_at, and not after expires_at.
  due_at DATETIME(6),
  expires_at DATETIME(6),

  -- Time of the insert and of the completion, by the database's clock.
  created_at DATETIME(6) NOT NULL,
  done_at DATETIME(6),

  -- Token of the node or worker that holds the lease; null without a lease. Every change of the row checks it.
  owner_token VARCHAR(64),

  -- Token of the lease that completed the row.
  processed_by VARCHAR(64),

  -- Distinguish an event that kills its process from the events that ran beside it. started: 0 no lease has
  -- expired, 1 a lease has expired, 2 delivered again after that. lease_expiries: leases that expired in state
  -- 2.
  started SMALLINT NOT NULL DEFAULT 0,
  lease_expiries INT NOT NULL DEFAULT 0,

  -- Class and message of the last failure; null once DONE.
  last_error LONGTEXT,

  -- JSON object with the outcome of each listener of a failed event; null while nothing has failed.
  listeners LONGTEXT,

  -- How often an operator replayed the event, when last, and who.
  replays INT NOT NULL DEFAULT 0,
  replayed_at DATETIME(6),
  replayed_by VARCHAR(64),

  -- 0 once retention has cleared the payload.
  kept SMALLINT NOT NULL DEFAULT 1,

  -- Rows of one key are handled one at a time, in order; null for a row without order.
  ordering_key VARCHAR(255),

  -- available_at while the row is live, otherwise null: MariaDB has no partial indexes, and an index on this
  -- column does the same.
  claimable_at DATETIME(6)
    GENERATED ALWAYS AS (CASE WHEN status IN (0, 2) THEN available_at END) VIRTUAL,

  -- Tenant and key for the unique index if the producer set a key, otherwise null: the primary key already
  -- makes event_id unique.
  key_tenant VARCHAR(64)
    GENERATED ALWAYS AS (CASE WHEN idempotency_key <> event_id THEN COALESCE(tenant_id, '') END) VIRTUAL,
  key_given VARCHAR(64)
    GENERATED ALWAYS AS (CASE WHEN idempotency_key <> event_id THEN idempotency_key END) VIRTUAL,

  -- created_at of DEAD rows, otherwise null, for the index of dead letters.
  dead_created_at DATETIME(6)
    GENERATED ALWAYS AS (CASE WHEN status = 3 THEN created_at END) VIRTUAL,

  -- The poller claims due rows in one range scan in this order. Rows that are DONE or DEAD have a null here and
  -- sort before all others.
  INDEX idx_claim (claimable_at, event_id),

  -- One row for each key of a tenant.
  UNIQUE INDEX outbox_event_key (key_tenant, key_given),

  -- Dead letters, listed from the newest.
  INDEX outbox_event_dead (dead_created_at, event_id),

  -- Retention removes completed rows, and clears their payloads, in this order.
  INDEX outbox_event_done (kept, done_at),

  -- A live row has a payload.
  CONSTRAINT outbox_event_payload
    CHECK (status NOT IN (0, 2) OR payload_text IS NOT NULL OR payload_bytes IS NOT NULL)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- Ordering keys, each with the last place that it has given. Only events with an ordering key touch this table.
CREATE TABLE outbox_event_keys (
  ordering_key VARCHAR(255) NOT NULL PRIMARY KEY,
  last_seq BIGINT NOT NULL,

  -- Equal to last_seq once all events of the key have ended, and since when.
  ended_seq BIGINT NOT NULL,
  idle_at DATETIME(6)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- Places of events in the order of their keys, until the events have ended.
CREATE TABLE outbox_event_ordered (
  ordering_key VARCHAR(255) NOT NULL,
  seq BIGINT NOT NULL,
  event_id VARCHAR(36) NOT NULL,
  PRIMARY KEY (ordering_key, seq)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- Installed versions of this schema. An application refuses to start if its library needs a newer version.
CREATE TABLE outbox_event_schema (
  version INT NOT NULL PRIMARY KEY,
  installed_at DATETIME(6) DEFAULT (UTC_TIMESTAMP(6)) NOT NULL
);

INSERT INTO outbox_event_schema (version) VALUES (5);
