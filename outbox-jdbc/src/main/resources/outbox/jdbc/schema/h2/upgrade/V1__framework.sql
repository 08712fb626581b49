-- Version 1: the table of the framework specification.

CREATE TABLE IF NOT EXISTS {table} (
  event_id VARCHAR(36) PRIMARY KEY,
  event_type VARCHAR(128) NOT NULL,
  aggregate_type VARCHAR(64),
  aggregate_id VARCHAR(128),
  tenant_id VARCHAR(64),
  payload JSON NOT NULL,
  headers JSON,
  status TINYINT NOT NULL,
  attempts INT DEFAULT 0 NOT NULL,
  available_at TIMESTAMP(6) WITH TIME ZONE NOT NULL,
  created_at TIMESTAMP(6) WITH TIME ZONE NOT NULL,
  done_at TIMESTAMP(6) WITH TIME ZONE,
  last_error CHARACTER LARGE OBJECT
);

CREATE INDEX IF NOT EXISTS {status_index} ON {table} (status, available_at, created_at);
