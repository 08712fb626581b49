-- Which versions of the schema are installed, and since when.

CREATE TABLE IF NOT EXISTS {table}_schema (
  version INT NOT NULL PRIMARY KEY,
  installed_at TIMESTAMPTZ(6) DEFAULT now() NOT NULL
);
