-- How far a migration has come, so that the next run continues there. Dropped when all steps are done.

IF OBJECT_ID(N'{table}_step', N'U') IS NULL
CREATE TABLE {table}_step (
  step NVARCHAR(100) NOT NULL PRIMARY KEY,
  position NVARCHAR(36) COLLATE Latin1_General_100_BIN2,
  recorded_at DATETIME2(6) DEFAULT SYSUTCDATETIME() NOT NULL
);
