-- Version 5: order by key. Only adds. The tables beside the events are touched by events with an ordering key
-- only: {table}_keys has the last place that each key has given, {table}_ordered which event has which
-- place, until it has ended. ended_seq is last_seq once all events of the key have ended.

ALTER TABLE {table}
  ADD COLUMN ordering_key VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  LOCK = NONE;

CREATE TABLE IF NOT EXISTS {table}_keys (
  ordering_key VARCHAR(255) NOT NULL PRIMARY KEY,
  last_seq BIGINT NOT NULL,
  ended_seq BIGINT NOT NULL,
  idle_at DATETIME(6)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

CREATE TABLE IF NOT EXISTS {table}_ordered (
  ordering_key VARCHAR(255) NOT NULL,
  seq BIGINT NOT NULL,
  event_id VARCHAR(36) NOT NULL,
  PRIMARY KEY (ordering_key, seq)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
