-- Version 1: the table of the framework specification.

CREATE TABLE IF NOT EXISTS {table} (
  event_id VARCHAR(36) COLLATE "C" PRIMARY KEY,
  event_type VARCHAR(128) COLLATE "C" NOT NULL,
  aggregate_type VARCHAR(64) COLLATE "C",
  aggregate_id VARCHAR(128) COLLATE "C",
  tenant_id VARCHAR(64) COLLATE "C",
  payload JSON NOT NULL,
  headers JSON,
  status SMALLINT NOT NULL,
  attempts INT NOT NULL DEFAULT 0,
  available_at TIMESTAMPTZ(6) NOT NULL,
  created_at TIMESTAMPTZ(6) NOT NULL,
  done_at TIMESTAMPTZ(6),
  last_error TEXT COLLATE "C"
);

CREATE INDEX IF NOT EXISTS {status_index} ON {table} (status, available_at, created_at);
