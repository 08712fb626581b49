-- Tables of joins for an empty H2 database, to be created beside those of the outbox.
-- No foreign key refers to outbox_event or from it: either side can be purged without the other.

-- One row for each join: how many messages must end, and how many have ended.
CREATE TABLE outbox_join (
  -- Primary key.
  join_id VARCHAR(36) DEFAULT RANDOM_UUID() PRIMARY KEY,

  -- Key by which the application finds the join; not unique.
  grouping_key VARCHAR(255),

  -- Messages that must end, that ended DONE, and that ended DEAD.
  expected_steps INT NOT NULL,
  completed_steps INT DEFAULT 0 NOT NULL,
  failed_steps INT DEFAULT 0 NOT NULL,

  -- 0 pending, 1 completed, 2 failed, 3 cancelled.
  status SMALLINT DEFAULT 0 NOT NULL,

  -- By the database's clock.
  created_at TIMESTAMP(6) WITH TIME ZONE DEFAULT CURRENT_TIMESTAMP NOT NULL,
  last_updated_at TIMESTAMP(6) WITH TIME ZONE DEFAULT CURRENT_TIMESTAMP NOT NULL,

  -- When the join fails if it is still pending; null for never.
  deadline_at TIMESTAMP(6) WITH TIME ZONE,

  -- When the join ended; null while it is pending.
  ended_at TIMESTAMP(6) WITH TIME ZONE,

  -- Text of the application. The library does not interpret it.
  metadata CHARACTER LARGE OBJECT,

  -- No step counts twice.
  CHECK (completed_steps + failed_steps <= expected_steps)
);

-- Finds joins by their grouping key.
CREATE INDEX outbox_join_grouping ON outbox_join (grouping_key, join_id);

-- The housekeeper ends pending joins whose deadline has passed.
CREATE INDEX outbox_join_deadline ON outbox_join (status, deadline_at);

-- Retention removes joins that ended.
CREATE INDEX outbox_join_ended ON outbox_join (ended_at);

-- The steps of a join: one row for each message that it counts.
CREATE TABLE outbox_join_member (
  join_id VARCHAR(36) NOT NULL,
  message_id VARCHAR(36) NOT NULL,

  -- 0 pending, 1 completed, 2 failed.
  status SMALLINT DEFAULT 0 NOT NULL,

  created_at TIMESTAMP(6) WITH TIME ZONE DEFAULT CURRENT_TIMESTAMP NOT NULL,
  PRIMARY KEY (join_id, message_id),
  FOREIGN KEY (join_id) REFERENCES outbox_join (join_id) ON DELETE CASCADE
);

-- Finds the joins of a message when it ends.
CREATE INDEX outbox_join_message ON outbox_join_member (message_id);

-- Messages that wait for the end of a join.
CREATE TABLE outbox_join_wait (
  join_id VARCHAR(36) NOT NULL,
  message_id VARCHAR(36) NOT NULL,
  PRIMARY KEY (join_id, message_id),
  FOREIGN KEY (join_id) REFERENCES outbox_join (join_id) ON DELETE CASCADE
);
