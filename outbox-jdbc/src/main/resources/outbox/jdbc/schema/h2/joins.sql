-- Joins: how many messages must end, which ones, and which messages wait for it. No foreign key leads to
-- or from the table of events: either side can be purged without the other.

CREATE TABLE IF NOT EXISTS {joins} (
  join_id VARCHAR(36) DEFAULT RANDOM_UUID() PRIMARY KEY,
  grouping_key VARCHAR(255),
  expected_steps INT NOT NULL,
  completed_steps INT DEFAULT 0 NOT NULL,
  failed_steps INT DEFAULT 0 NOT NULL,
  status SMALLINT DEFAULT 0 NOT NULL,
  created_at TIMESTAMP(6) WITH TIME ZONE DEFAULT CURRENT_TIMESTAMP NOT NULL,
  last_updated_at TIMESTAMP(6) WITH TIME ZONE DEFAULT CURRENT_TIMESTAMP NOT NULL,
  deadline_at TIMESTAMP(6) WITH TIME ZONE,
  ended_at TIMESTAMP(6) WITH TIME ZONE,
  metadata CHARACTER LARGE OBJECT,
  CHECK (completed_steps + failed_steps <= expected_steps)
);

CREATE INDEX IF NOT EXISTS {join_name}_grouping ON {joins} (grouping_key, join_id);
CREATE INDEX IF NOT EXISTS {join_name}_deadline ON {joins} (status, deadline_at);
CREATE INDEX IF NOT EXISTS {join_name}_ended ON {joins} (ended_at);

CREATE TABLE IF NOT EXISTS {members} (
  join_id VARCHAR(36) NOT NULL,
  message_id VARCHAR(36) NOT NULL,
  status SMALLINT DEFAULT 0 NOT NULL,
  created_at TIMESTAMP(6) WITH TIME ZONE DEFAULT CURRENT_TIMESTAMP NOT NULL,
  PRIMARY KEY (join_id, message_id),
  FOREIGN KEY (join_id) REFERENCES {joins} (join_id) ON DELETE CASCADE
);

CREATE INDEX IF NOT EXISTS {join_name}_message ON {members} (message_id);

CREATE TABLE IF NOT EXISTS {waits} (
  join_id VARCHAR(36) NOT NULL,
  message_id VARCHAR(36) NOT NULL,
  PRIMARY KEY (join_id, message_id),
  FOREIGN KEY (join_id) REFERENCES {joins} (join_id) ON DELETE CASCADE
);
