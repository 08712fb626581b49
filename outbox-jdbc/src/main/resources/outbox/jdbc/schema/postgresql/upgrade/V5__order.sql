-- Version 5: order by key. Only adds. The tables beside the events are touched by events with an ordering key
-- only: {table}_keys has the last place that each key has given, {table}_ordered which event has which
-- place, until it has ended. ended_seq is last_seq once all events of the key have ended.

ALTER TABLE {table} ADD COLUMN IF NOT EXISTS ordering_key VARCHAR(255) COLLATE "C";

CREATE TABLE IF NOT EXISTS {table}_keys (
  ordering_key VARCHAR(255) COLLATE "C" NOT NULL PRIMARY KEY,
  last_seq BIGINT NOT NULL,
  ended_seq BIGINT NOT NULL,
  idle_at TIMESTAMPTZ(6)
) WITH (
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 5000,
  autovacuum_analyze_scale_factor = 0.05,
  autovacuum_vacuum_cost_delay = 1
);

CREATE TABLE IF NOT EXISTS {table}_ordered (
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
