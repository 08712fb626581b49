-- Which versions of the schema are installed, and since when.

CREATE TABLE IF NOT EXISTS {table}_schema (
  version INT NOT NULL PRIMARY KEY,
  installed_at DATETIME(6) DEFAULT (UTC_TIMESTAMP(6)) NOT NULL
);
