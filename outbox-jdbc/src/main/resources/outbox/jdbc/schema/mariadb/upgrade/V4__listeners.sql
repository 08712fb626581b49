-- Version 4: what became of each listener of an event that failed. Only adds; null in every event that did not.

ALTER TABLE {table}
  ADD COLUMN IF NOT EXISTS listeners LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  LOCK = NONE;
