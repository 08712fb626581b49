-- Tables of joins for an empty MariaDB database, to be created beside those of the outbox.
-- No foreign key refers to outbox_event or from it: either side can be purged without the other.

-- One row for each join: how many messages must end, and how many have ended. All instants are UTC.
CREATE TABLE outbox_join (
  -- Primary key.
  join_id VARCHAR(36) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT (UUID()) PRIMARY KEY,

  -- Key by which the application finds the join; not unique.
  grouping_key VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,

  -- Messages that must end, that ended DONE, and that ended DEAD.
  expected_steps INT NOT NULL,
  completed_steps INT NOT NULL DEFAULT 0,
  failed_steps INT NOT NULL DEFAULT 0,

  -- 0 pending, 1 completed, 2 failed, 3 cancelled.
  status SMALLINT NOT NULL DEFAULT 0,

  -- By the database's clock.
  created_at DATETIME(6) NOT NULL DEFAULT (UTC_TIMESTAMP(6)),
  last_updated_at DATETIME(6) NOT NULL DEFAULT (UTC_TIMESTAMP(6)),

  -- When the join fails if it is still pending; null for never.
  deadline_at DATETIME(6),

  -- When the join ended; null while it is pending.
  ended_at DATETIME(6),

  -- Text of the application. The library does not interpret it.
  metadata LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,

  -- Finds joins by their grouping key.
  INDEX idx_join_key (grouping_key),

  -- The housekeeper ends pending joins whose deadline has passed.
  INDEX idx_join_deadline (status, deadline_at),

  -- Retention removes joins that ended.
  INDEX idx_join_ended (ended_at),

  -- No step counts twice.
  CHECK (completed_steps + failed_steps <= expected_steps)
) ENGINE = InnoDB;

-- The steps of a join: one row for each message that it counts.
CREATE TABLE outbox_join_member (
  join_id VARCHAR(36) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  message_id VARCHAR(36) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,

  -- 0 pending, 1 completed, 2 failed.
  status SMALLINT NOT NULL DEFAULT 0,

  created_at DATETIME(6) NOT NULL DEFAULT (UTC_TIMESTAMP(6)),
  PRIMARY KEY (join_id, message_id),
  FOREIGN KEY (join_id) REFERENCES outbox_join (join_id) ON DELETE CASCADE,

  -- Finds the joins of a message when it ends.
  INDEX idx_join_message (message_id)
) ENGINE = InnoDB;

-- Messages that wait for the end of a join.
CREATE TABLE outbox_join_wait (
  join_id VARCHAR(36) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  message_id VARCHAR(36) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (join_id, message_id),
  FOREIGN KEY (join_id) REFERENCES outbox_join (join_id) ON DELETE CASCADE
) ENGINE = InnoDB;
