-- Tables of joins for an empty SQL Server database, to be created beside those of the outbox.
-- No foreign key refers to outbox_event or from it: either side can be purged without the other.

-- One row for each join: how many messages must end, and how many have ended. All instants are UTC.
CREATE TABLE outbox_join (
  -- Primary key.
  join_id NVARCHAR(36) COLLATE Latin1_General_100_BIN2 NOT NULL
    DEFAULT CAST(NEWID() AS NVARCHAR(36)) PRIMARY KEY,

  -- Key by which the application finds the join; not unique.
  grouping_key NVARCHAR(255) COLLATE Latin1_General_100_BIN2,

  -- Messages that must end, that ended DONE, and that ended DEAD.
  expected_steps INT NOT NULL,
  completed_steps INT NOT NULL DEFAULT 0,
  failed_steps INT NOT NULL DEFAULT 0,

  -- 0 pending, 1 completed, 2 failed, 3 cancelled.
  status TINYINT NOT NULL DEFAULT 0,

  -- By the database's clock.
  created_at DATETIME2(6) NOT NULL DEFAULT SYSUTCDATETIME(),
  last_updated_at DATETIME2(6) NOT NULL DEFAULT SYSUTCDATETIME(),

  -- When the join fails if it is still pending; null for never.
  deadline_at DATETIME2(6),

  -- When the join ended; null while it is pending.
  ended_at DATETIME2(6),

  -- Text of the application. The library does not interpret it.
  metadata NVARCHAR(MAX) COLLATE Latin1_General_100_BIN2,

  -- No step counts twice.
  CHECK (completed_steps + failed_steps <= expected_steps),

  -- Finds joins by their grouping key.
  INDEX idx_join_key (grouping_key),

  -- The housekeeper ends pending joins whose deadline has passed.
  INDEX idx_join_deadline (status, deadline_at),

  -- Retention removes joins that ended.
  INDEX idx_join_ended (ended_at)
);
GO

-- The steps of a join: one row for each message that it counts.
CREATE TABLE outbox_join_member (
  join_id NVARCHAR(36) COLLATE Latin1_General_100_BIN2 NOT NULL
    REFERENCES outbox_join (join_id) ON DELETE CASCADE,
  message_id NVARCHAR(36) COLLATE Latin1_General_100_BIN2 NOT NULL,

  -- 0 pending, 1 completed, 2 failed.
  status TINYINT NOT NULL DEFAULT 0,

  created_at DATETIME2(6) NOT NULL DEFAULT SYSUTCDATETIME(),
  PRIMARY KEY (join_id, message_id),

  -- Finds the joins of a message when it ends.
  INDEX idx_join_message (message_id)
);
GO

-- Messages that wait for the end of a join.
CREATE TABLE outbox_join_wait (
  join_id NVARCHAR(36) COLLATE Latin1_General_100_BIN2 NOT NULL
    REFERENCES outbox_join (join_id) ON DELETE CASCADE,
  message_id NVARCHAR(36) COLLATE Latin1_General_100_BIN2 NOT NULL,
  PRIMARY KEY (join_id, message_id)
);
GO
