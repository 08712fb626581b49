-- What an online migration asks and does on MariaDB and MySQL. Rows are filled in by their ids, in chunks.

-- name: indexes
SELECT DISTINCT LOWER(index_name) AS index_name, 1 AS valid
FROM information_schema.statistics
WHERE table_schema = COALESCE(:schema, DATABASE()) AND table_name = :name

-- name: key_required
SELECT 1 AS found
FROM information_schema.columns
WHERE table_schema = COALESCE(:schema, DATABASE()) AND table_name = :name
  AND LOWER(column_name) = 'idempotency_key' AND is_nullable = 'NO'

-- name: estimate
SELECT COALESCE(table_rows, 0) AS found
FROM information_schema.tables
WHERE table_schema = COALESCE(:schema, DATABASE()) AND table_name = :name

-- name: other_characters
-- On MySQL.
SELECT COUNT(*) AS found
FROM information_schema.columns
WHERE table_schema = COALESCE(:schema, DATABASE()) AND table_name = :name
  AND LOWER(column_name) IN ('event_type', 'aggregate_type', 'aggregate_id', 'tenant_id', 'last_error')
  AND character_set_name <> 'utf8mb4'

-- name: many_rows
SELECT COUNT(*) AS found FROM (SELECT event_id FROM {table} LIMIT :limit) AS first

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
WHERE ((idempotency_key IS NULL OR occurred_at IS NULL) AND created_at > {now} - INTERVAL :age MICROSECOND)
   OR (status = 1 AND processed_by IS NULL AND done_at > {now} - INTERVAL :age MICROSECOND)

-- name: unfilled
SELECT COUNT(*) AS found FROM {table}
WHERE idempotency_key IS NULL
   OR (payload IS NOT NULL AND payload_text IS NULL AND payload_bytes IS NULL AND kept = 1)

-- name: created_ahead
-- Live rows of the future: version 1 wrote local time.
SELECT COUNT(*) AS found
FROM (SELECT event_id FROM {table}
      WHERE status IN (0, 2) AND created_at > {now} + INTERVAL :age MICROSECOND
      LIMIT 1000) AS ahead

-- name: times
SELECT event_id, available_at, created_at, done_at FROM {table}
WHERE event_id > :after
ORDER BY event_id LIMIT :limit

-- name: set_times
UPDATE {table}
SET available_at = :available_at, created_at = :created_at, done_at = :done_at
WHERE event_id = :id

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
                        THEN payload ELSE payload_text END
WHERE event_id IN (:ids...)
