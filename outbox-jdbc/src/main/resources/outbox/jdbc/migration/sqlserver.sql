-- What a migration asks and does on SQL Server. Rows are filled in by their ids, in chunks; READPAST skips
-- those that are locked.

-- name: indexes
SELECT LOWER(name) AS index_name, CASE WHEN is_disabled = 0 THEN 1 ELSE 0 END AS valid
FROM sys.indexes
WHERE object_id = OBJECT_ID(:table) AND name IS NOT NULL

-- name: routine_source
SELECT definition AS source FROM sys.sql_modules WHERE object_id = OBJECT_ID(:routine)

-- name: key_required
SELECT 1 AS found FROM sys.check_constraints
WHERE parent_object_id = OBJECT_ID(:table) AND name LIKE '%[_]keyed'

-- name: estimate
SELECT COALESCE(SUM(row_count), 0) AS found
FROM sys.dm_db_partition_stats
WHERE object_id = OBJECT_ID(:table) AND index_id IN (0, 1)

-- name: steps
SELECT step, position FROM {table}_step

-- name: record_step
INSERT INTO {table}_step (step) VALUES (:step)

-- name: save_position
UPDATE {table}_step SET position = :position WHERE step = :step

-- name: record_version
INSERT INTO {table}_schema (version) VALUES (:version)

-- name: keyless
SELECT COUNT(*) AS found FROM {table} WHERE idempotency_key IS NULL

-- name: young_of_version1
-- What only a node of an older version writes: a row without a key or without the instant of the event,
-- or a completion without an owner.
SELECT COUNT(*) AS found FROM {table}
WHERE ((idempotency_key IS NULL OR occurred_at IS NULL) AND created_at > DATEADD(SECOND, -CAST(:age / 1000000 AS INT), {now}))
   OR (status = 1 AND processed_by IS NULL AND done_at > DATEADD(SECOND, -CAST(:age / 1000000 AS INT), {now}))

-- name: unfilled
SELECT COUNT(*) AS found FROM {table}
WHERE idempotency_key IS NULL
   OR (payload IS NOT NULL AND payload_text IS NULL AND payload_bytes IS NULL AND kept = 1)

-- name: created_ahead
-- Live rows of the future: version 1 wrote local time.
SELECT COUNT(*) AS found
FROM (SELECT TOP (1000) event_id FROM {table}
      WHERE status IN (0, 2)
        AND created_at > DATEADD(SECOND, CAST(:age / 1000000 AS INT), {now})) AS ahead

-- name: times
SELECT TOP (:limit) event_id, available_at, created_at, done_at FROM {table}
WHERE event_id > :after
ORDER BY event_id

-- name: set_times
UPDATE {table}
SET available_at = :available_at, created_at = :created_at, done_at = :done_at
WHERE event_id = :id

-- name: last_id
SELECT MAX(event_id) AS event_id FROM {table}

-- name: next_ids
SELECT TOP (:limit) event_id FROM {table}
WHERE event_id > :after AND event_id <= :last
ORDER BY event_id

-- name: keyless_ids
SELECT TOP (:limit) event_id FROM {table}
WHERE event_id > :after AND idempotency_key IS NULL
ORDER BY event_id

-- name: unfilled_ids
SELECT TOP (:limit) event_id FROM {table}
WHERE event_id > :after
  AND (idempotency_key IS NULL
       OR (payload IS NOT NULL AND payload_text IS NULL AND payload_bytes IS NULL AND kept = 1))
ORDER BY event_id

-- name: lock_keyless
SELECT event_id FROM {table} WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK)
WHERE event_id IN (:ids...) AND idempotency_key IS NULL

-- name: lock_unfilled
SELECT event_id FROM {table} WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK)
WHERE event_id IN (:ids...)
  AND (idempotency_key IS NULL
       OR (payload IS NOT NULL AND payload_text IS NULL AND payload_bytes IS NULL AND kept = 1))

-- name: fill_keys
UPDATE {table} SET idempotency_key = event_id WHERE event_id IN (:ids...)

-- name: fill_keys_and_payloads
UPDATE {table}
SET idempotency_key = COALESCE(idempotency_key, event_id),
    payload_text = CASE WHEN payload_text IS NULL AND payload_bytes IS NULL
                        THEN payload ELSE payload_text END
WHERE event_id IN (:ids...)
