-- Which versions of the schema are installed, and since when.

IF OBJECT_ID(N'{table}_schema', N'U') IS NULL
CREATE TABLE {table}_schema (
  version INT NOT NULL PRIMARY KEY,
  installed_at DATETIME2(6) DEFAULT SYSUTCDATETIME() NOT NULL
);
