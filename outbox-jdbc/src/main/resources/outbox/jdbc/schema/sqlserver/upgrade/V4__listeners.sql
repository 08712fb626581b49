-- Version 4: what became of each listener of an event that failed. Only adds; null in every event that did not.

ALTER TABLE {table} ADD listeners NVARCHAR(MAX) COLLATE Latin1_General_100_BIN2;
