-- Version 1: the table of the framework specification.

IF OBJECT_ID(N'{table}', N'U') IS NULL
CREATE TABLE {table} (
  event_id NVARCHAR(36) COLLATE Latin1_General_100_BIN2 NOT NULL PRIMARY KEY,
  event_type NVARCHAR(128) COLLATE Latin1_General_100_BIN2 NOT NULL,
  aggregate_type NVARCHAR(64) COLLATE Latin1_General_100_BIN2,
  aggregate_id NVARCHAR(128) COLLATE Latin1_General_100_BIN2,
  tenant_id NVARCHAR(64) COLLATE Latin1_General_100_BIN2,
  payload NVARCHAR(MAX) COLLATE Latin1_General_100_BIN2 NOT NULL,
  headers NVARCHAR(MAX) COLLATE Latin1_General_100_BIN2,
  status TINYINT NOT NULL,
  attempts INT NOT NULL DEFAULT 0,
  available_at DATETIME2(6) NOT NULL,
  created_at DATETIME2(6) NOT NULL,
  done_at DATETIME2(6),
  last_error NVARCHAR(MAX) COLLATE Latin1_General_100_BIN2,
  INDEX {status_index} (status, available_at, created_at)
);
