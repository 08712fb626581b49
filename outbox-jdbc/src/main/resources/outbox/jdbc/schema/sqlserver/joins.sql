-- Joins: how many messages must end, which ones, and which messages wait for it. No foreign key leads to
-- or from the table of events: either side can be purged without the other.

IF OBJECT_ID(N'{joins}', N'U') IS NULL
CREATE TABLE {joins} (
  join_id NVARCHAR(36) COLLATE Latin1_General_100_BIN2 NOT NULL
    DEFAULT CAST(NEWID() AS NVARCHAR(36)) PRIMARY KEY,
  grouping_key NVARCHAR(255) COLLATE Latin1_General_100_BIN2,
  expected_steps INT NOT NULL,
  completed_steps INT NOT NULL DEFAULT 0,
  failed_steps INT NOT NULL DEFAULT 0,
  status TINYINT NOT NULL DEFAULT 0,
  created_at DATETIME2(6) NOT NULL DEFAULT {now},
  last_updated_at DATETIME2(6) NOT NULL DEFAULT {now},
  deadline_at DATETIME2(6),
  ended_at DATETIME2(6),
  metadata NVARCHAR(MAX) COLLATE Latin1_General_100_BIN2,
  CHECK (completed_steps + failed_steps <= expected_steps),
  INDEX idx_join_key (grouping_key),
  INDEX idx_join_deadline (status, deadline_at),
  INDEX idx_join_ended (ended_at)
);

IF OBJECT_ID(N'{members}', N'U') IS NULL
CREATE TABLE {members} (
  join_id NVARCHAR(36) COLLATE Latin1_General_100_BIN2 NOT NULL
    REFERENCES {joins} (join_id) ON DELETE CASCADE,
  message_id NVARCHAR(36) COLLATE Latin1_General_100_BIN2 NOT NULL,
  status TINYINT NOT NULL DEFAULT 0,
  created_at DATETIME2(6) NOT NULL DEFAULT {now},
  PRIMARY KEY (join_id, message_id),
  INDEX idx_join_message (message_id)
);

IF OBJECT_ID(N'{waits}', N'U') IS NULL
CREATE TABLE {waits} (
  join_id NVARCHAR(36) COLLATE Latin1_General_100_BIN2 NOT NULL
    REFERENCES {joins} (join_id) ON DELETE CASCADE,
  message_id NVARCHAR(36) COLLATE Latin1_General_100_BIN2 NOT NULL,
  PRIMARY KEY (join_id, message_id)
);
