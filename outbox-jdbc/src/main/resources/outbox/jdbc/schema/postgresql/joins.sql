-- Joins: how many messages must end, which ones, and which messages wait for it. No foreign key leads to
-- or from the table of events: either side can be purged without the other.

CREATE TABLE IF NOT EXISTS {joins} (
  join_id VARCHAR(36) COLLATE "C" DEFAULT gen_random_uuid() PRIMARY KEY,
  grouping_key VARCHAR(255) COLLATE "C",
  expected_steps INT NOT NULL,
  completed_steps INT NOT NULL DEFAULT 0,
  failed_steps INT NOT NULL DEFAULT 0,
  status SMALLINT NOT NULL DEFAULT 0,
  created_at TIMESTAMPTZ(6) NOT NULL DEFAULT {now},
  last_updated_at TIMESTAMPTZ(6) NOT NULL DEFAULT {now},
  deadline_at TIMESTAMPTZ(6),
  ended_at TIMESTAMPTZ(6),
  metadata TEXT COLLATE "C",
  CHECK (completed_steps + failed_steps <= expected_steps)
) WITH (
  fillfactor = 80,
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 1000,
  autovacuum_analyze_scale_factor = 0.05,
  autovacuum_vacuum_cost_delay = 1
);

-- None of them holds a column that changes with every step.
CREATE INDEX IF NOT EXISTS {join_name}_grouping ON {joins} (grouping_key, join_id)
WHERE grouping_key IS NOT NULL;
CREATE INDEX IF NOT EXISTS {join_name}_deadline ON {joins} (deadline_at) WHERE status = 0;
CREATE INDEX IF NOT EXISTS {join_name}_ended ON {joins} (ended_at) WHERE ended_at IS NOT NULL;

-- Each row changes once, in place, if its page has room for another.
CREATE TABLE IF NOT EXISTS {members} (
  join_id VARCHAR(36) COLLATE "C" NOT NULL REFERENCES {joins} (join_id) ON DELETE CASCADE,
  message_id VARCHAR(36) COLLATE "C" NOT NULL,
  status SMALLINT NOT NULL DEFAULT 0,
  created_at TIMESTAMPTZ(6) NOT NULL DEFAULT {now},
  PRIMARY KEY (join_id, message_id)
) WITH (
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_insert_scale_factor = 0.05,
  autovacuum_analyze_scale_factor = 0.05,
  autovacuum_vacuum_cost_delay = 1
);

CREATE INDEX IF NOT EXISTS {join_name}_message ON {members} (message_id);

CREATE TABLE IF NOT EXISTS {waits} (
  join_id VARCHAR(36) COLLATE "C" NOT NULL REFERENCES {joins} (join_id) ON DELETE CASCADE,
  message_id VARCHAR(36) COLLATE "C" NOT NULL,
  PRIMARY KEY (join_id, message_id)
);
