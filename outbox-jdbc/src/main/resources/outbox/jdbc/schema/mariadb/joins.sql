-- Joins: how many messages must end, which ones, and which messages wait for it. No foreign key leads to
-- or from the table of events: either side can be purged without the other. The same for MySQL.

CREATE TABLE IF NOT EXISTS {joins} (
  join_id VARCHAR(36) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT (UUID()) PRIMARY KEY,
  grouping_key VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  expected_steps INT NOT NULL,
  completed_steps INT NOT NULL DEFAULT 0,
  failed_steps INT NOT NULL DEFAULT 0,
  status SMALLINT NOT NULL DEFAULT 0,
  created_at DATETIME(6) NOT NULL DEFAULT ({now}),
  last_updated_at DATETIME(6) NOT NULL DEFAULT ({now}),
  deadline_at DATETIME(6),
  ended_at DATETIME(6),
  metadata LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  INDEX idx_join_key (grouping_key),
  INDEX idx_join_deadline (status, deadline_at),
  INDEX idx_join_ended (ended_at),
  CHECK (completed_steps + failed_steps <= expected_steps)
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS {members} (
  join_id VARCHAR(36) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  message_id VARCHAR(36) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  status SMALLINT NOT NULL DEFAULT 0,
  created_at DATETIME(6) NOT NULL DEFAULT ({now}),
  PRIMARY KEY (join_id, message_id),
  INDEX idx_join_message (message_id),
  FOREIGN KEY (join_id) REFERENCES {joins} (join_id) ON DELETE CASCADE
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS {waits} (
  join_id VARCHAR(36) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  message_id VARCHAR(36) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (join_id, message_id),
  FOREIGN KEY (join_id) REFERENCES {joins} (join_id) ON DELETE CASCADE
) ENGINE = InnoDB;
