-- What a migration asks and does on SQL Server. Rows are filled in by their ids, in chunks; READPAST skips
-- those that are locked.

-- name: indexes
SELECT LOWER(name) AS index_name, CASE WHEN is_disabled = 0 THEN 1 ELSE 0 END AS valid
FROM sys.indexes
WHERE object_id = OBJECT_ID(:table) AND name IS NOT NULL

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

-- name: keyless_young
SELECT COUNT(*) AS found FROM {table}
WHERE idempotency_key IS NULL AND created_at > DATEADD(SECOND, -CAST(:age / 1000000 AS INT), {now})

-- name: next_ids
SELECT TOP (:limit) event_id FROM {table} WHERE event_id > :after ORDER BY event_id

-- name: keyless_ids
SELECT TOP (:limit) event_id FROM {table} WHERE idempotency_key IS NULL

-- name: lock_keyless
SELECT event_id FROM {table} WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK)
WHERE event_id IN (:ids...) AND idempotency_key IS NULL

-- name: fill_keys
UPDATE {table} SET idempotency_key = event_id WHERE event_id IN (:ids...)

-- name: fill_keys_and_payloads
UPDATE {table}
SET idempotency_key = event_id,
    payload_text = CASE WHEN payload_text IS NULL AND payload_bytes IS NULL
                        THEN payload ELSE payload_text END
WHERE event_id IN (:ids...)
