-- Version 5: order by key. Only adds. The tables beside the events are touched by events with an ordering key
-- only: {table}_keys has the last place that each key has given, {table}_ordered which event has which
-- place, until it has ended. ended_seq is last_seq once all events of the key have ended.

ALTER TABLE {table} ADD ordering_key NVARCHAR(255) COLLATE Latin1_General_100_BIN2;

IF OBJECT_ID(N'{table}_keys', N'U') IS NULL
CREATE TABLE {table}_keys (
  ordering_key NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL PRIMARY KEY,
  last_seq BIGINT NOT NULL,
  ended_seq BIGINT NOT NULL,
  idle_at DATETIME2(6)
);

IF OBJECT_ID(N'{table}_ordered', N'U') IS NULL
CREATE TABLE {table}_ordered (
  ordering_key NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
  seq BIGINT NOT NULL,
  event_id NVARCHAR(36) COLLATE Latin1_General_100_BIN2 NOT NULL,
  PRIMARY KEY (ordering_key, seq)
);
