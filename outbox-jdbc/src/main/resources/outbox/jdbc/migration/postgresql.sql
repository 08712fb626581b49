-- What an online migration asks and does on PostgreSQL. Rows are filled in by their ids, in chunks; the
-- ids come from the primary key alone, whatever the planner believes of the table.

-- name: indexes
SELECT name.relname AS index_name, CASE WHEN indisvalid THEN 1 ELSE 0 END AS valid
FROM pg_index JOIN pg_class AS name ON name.oid = indexrelid
WHERE indrelid = to_regclass(:table)

-- name: routine_source
SELECT prosrc AS source FROM pg_proc WHERE oid = to_regproc(:routine)

-- name: key_required
SELECT 1 AS found FROM pg_attribute
WHERE attrelid = to_regclass(:table) AND attname = 'idempotency_key' AND attnotnull

-- name: estimate
SELECT CAST(GREATEST(reltuples, 0) AS bigint) AS found FROM pg_class WHERE oid = to_regclass(:table)

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
WHERE ((idempotency_key IS NULL OR occurred_at IS NULL) AND created_at > {now} - :age * INTERVAL '1 microsecond')
   OR (status = 1 AND processed_by IS NULL AND done_at > {now} - :age * INTERVAL '1 microsecond')

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
WHERE event_id = ANY (:ids) AND idempotency_key IS NULL
FOR UPDATE SKIP LOCKED

-- name: lock_unfilled
SELECT event_id FROM {table}
WHERE event_id = ANY (:ids)
  AND (idempotency_key IS NULL
       OR (payload IS NOT NULL AND payload_text IS NULL AND payload_bytes IS NULL AND kept = 1))
FOR UPDATE SKIP LOCKED

-- name: fill_keys
UPDATE {table} SET idempotency_key = event_id WHERE event_id = ANY (:ids)

-- name: fill_keys_and_payloads
UPDATE {table}
SET idempotency_key = COALESCE(idempotency_key, event_id),
    payload_text = CASE WHEN payload_text IS NULL AND payload_bytes IS NULL
                        THEN CAST(payload AS text) ELSE payload_text END
WHERE event_id = ANY (:ids)
