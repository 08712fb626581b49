-- How far a migration has come, so that the next run continues there. Dropped when all steps are done.

CREATE TABLE IF NOT EXISTS {table}_step (
  step VARCHAR(100) NOT NULL PRIMARY KEY,
  position VARCHAR(36) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  recorded_at DATETIME(6) DEFAULT (UTC_TIMESTAMP(6)) NOT NULL
);
