-- How far a migration has come, so that the next run continues there. Dropped when all steps are done.

CREATE TABLE IF NOT EXISTS {table}_step (
  step VARCHAR(100) NOT NULL PRIMARY KEY,
  position VARCHAR(36),
  recorded_at TIMESTAMP(6) WITH TIME ZONE DEFAULT CURRENT_TIMESTAMP NOT NULL
);
