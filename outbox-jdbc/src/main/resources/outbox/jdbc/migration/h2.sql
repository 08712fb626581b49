-- What a migration asks and does on H2. Rows are filled in by their ids, in chunks.

-- name: indexes
SELECT LOWER(index_name) AS index_name, 1 AS valid
FROM information_schema.indexes
WHERE LOWER(table_schema) = LOWER(COALESCE(CAST(:schema AS VARCHAR), CURRENT_SCHEMA))
  AND LOWER(table_name) = LOWER(CAST(:name AS VARCHAR))

-- name: key_required
SELECT 1 AS found
FROM information_schema.columns
WHERE LOWER(table_schema) = LOWER(COALESCE(CAST(:schema AS VARCHAR), CURRENT_SCHEMA))
  AND LOWER(table_name) = LOWER(CAST(:name AS VARCHAR))
  AND LOWER(column_name) = 'idempotency_key' AND is_nullable = 'NO'

-- name: estimate
SELECT COUNT(*) AS found FROM {table}

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
WHERE ((idempotency_key IS NULL OR occurred_at IS NULL) AND created_at > DATEADD(MICROSECOND, -:age, {now}))
   OR (status = 1 AND processed_by IS NULL AND done_at > DATEADD(MICROSECOND, -:age, {now}))

-- name: unfilled
SELECT COUNT(*) AS found FROM {table}
WHERE idempotency_key IS NULL
   OR (payload IS NOT NULL AND payload_text IS NULL AND payload_bytes IS NULL AND kept = 1)

-- name: last_id
SELECT MAX(event_id) AS event_id FROM {table}

-- name: next_ids
SELECT event_id FROM {table}
WHERE event_id > :after AND event_id <= :last
ORDER BY event_id LIMIT :limit

-- name: keyless_ids
SELECT event_id FROM {table}
WHERE event_id > :after AND idempotency_key IS NULL
ORDER BY event_id LIMIT :limit

-- name: unfilled_ids
SELECT event_id FROM {table}
WHERE event_id > :after
  AND (idempotency_key IS NULL
       OR (payload IS NOT NULL AND payload_text IS NULL AND payload_bytes IS NULL AND kept = 1))
ORDER BY event_id LIMIT :limit

-- name: lock_keyless
SELECT event_id FROM {table}
WHERE event_id IN (:ids...) AND idempotency_key IS NULL
FOR UPDATE SKIP LOCKED

-- name: lock_unfilled
SELECT event_id FROM {table}
WHERE event_id IN (:ids...)
  AND (idempotency_key IS NULL
       OR (payload IS NOT NULL AND payload_text IS NULL AND payload_bytes IS NULL AND kept = 1))
FOR UPDATE SKIP LOCKED

-- name: fill_keys
UPDATE {table} SET idempotency_key = event_id WHERE event_id IN (:ids...)

-- name: fill_keys_and_payloads
UPDATE {table}
SET idempotency_key = COALESCE(idempotency_key, event_id),
    payload_text = CASE WHEN payload_text IS NULL AND payload_bytes IS NULL
                        THEN CAST(payload AS VARCHAR) ELSE payload_text END
WHERE event_id IN (:ids...)
