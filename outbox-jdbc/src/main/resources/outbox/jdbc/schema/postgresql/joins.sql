-- Tables of joins for an empty PostgreSQL database, to be created beside those of the outbox.
-- No foreign key refers to outbox_event or from it: either side can be purged without the other.

-- One row for each join: how many messages must end, and how many have ended.
CREATE TABLE outbox_join (
  -- Primary key.
  join_id VARCHAR(36) COLLATE "C" DEFAULT gen_random_uuid() PRIMARY KEY,

  -- Key by which the application finds the join; not unique.
  grouping_key VARCHAR(255) COLLATE "C",

  -- Messages that must end, that ended DONE, and that ended DEAD.
  expected_steps INT NOT NULL,
  completed_steps INT NOT NULL DEFAULT 0,
  failed_steps INT NOT NULL DEFAULT 0,

  -- 0 pending, 1 completed, 2 failed, 3 cancelled.
  status SMALLINT NOT NULL DEFAULT 0,

  -- By the database's clock.
  created_at TIMESTAMPTZ(6) NOT NULL DEFAULT statement_timestamp(),
  last_updated_at TIMESTAMPTZ(6) NOT NULL DEFAULT statement_timestamp(),

  -- When the join fails if it is still pending; null for never.
  deadline_at TIMESTAMPTZ(6),

  -- When the join ended; null while it is pending.
  ended_at TIMESTAMPTZ(6),

  -- Text of the application. The library does not interpret it.
  metadata TEXT COLLATE "C",

  -- No step counts twice.
  CHECK (completed_steps + failed_steps <= expected_steps)
) WITH (
  fillfactor = 80,
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 1000,
  autovacuum_analyze_scale_factor = 0.05,
  autovacuum_vacuum_cost_delay = 1
);

-- Finds joins by their grouping key. No index of this table has a column that changes with every step, so that
-- updates stay in their page.
CREATE INDEX outbox_join_grouping ON outbox_join (grouping_key, join_id) WHERE grouping_key IS NOT NULL;

-- The housekeeper ends pending joins whose deadline has passed.
CREATE INDEX outbox_join_deadline ON outbox_join (deadline_at) WHERE status = 0;

-- Retention removes joins that ended.
CREATE INDEX outbox_join_ended ON outbox_join (ended_at) WHERE ended_at IS NOT NULL;

-- The steps of a join: one row for each message that it counts. Each row changes once; free space lets the
-- update stay in its page.
CREATE TABLE outbox_join_member (
  join_id VARCHAR(36) COLLATE "C" NOT NULL REFERENCES outbox_join (join_id) ON DELETE CASCADE,
  message_id VARCHAR(36) COLLATE "C" NOT NULL,

  -- 0 pending, 1 completed, 2 failed.
  status SMALLINT NOT NULL DEFAULT 0,

  created_at TIMESTAMPTZ(6) NOT NULL DEFAULT statement_timestamp(),
  PRIMARY KEY (join_id, message_id)
) WITH (
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_insert_scale_factor = 0.05,
  autovacuum_analyze_scale_factor = 0.05,
  autovacuum_vacuum_cost_delay = 1
);

-- Finds the joins of a message when it ends.
CREATE INDEX outbox_join_message ON outbox_join_member (message_id);

-- Messages that wait for the end of a join.
CREATE TABLE outbox_join_wait (
  join_id VARCHAR(36) COLLATE "C" NOT NULL REFERENCES outbox_join (join_id) ON DELETE CASCADE,
  message_id VARCHAR(36) COLLATE "C" NOT NULL,
  PRIMARY KEY (join_id, message_id)
);
