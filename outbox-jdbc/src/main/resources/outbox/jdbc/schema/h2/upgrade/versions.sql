-- Which versions of the schema are installed, and since when.

CREATE TABLE IF NOT EXISTS {table}_schema (
  version INT NOT NULL PRIMARY KEY,
  installed_at TIMESTAMP(6) WITH TIME ZONE DEFAULT CURRENT_TIMESTAMP NOT NULL
);
