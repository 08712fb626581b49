-- The statements of events with an ordering key on MariaDB and MySQL; see the file of the outbox for the form.
-- {table}_keys has the last place of each key, {table}_ordered the places of events that have not ended, and of
-- some that have. An event whose key is there and whose ended_seq is the place before is the first of its key.

-- name: insert_ordered
INSERT INTO {table} (
  event_id, event_type, aggregate_type, aggregate_id, tenant_id, idempotency_key, correlation_id,
  payload_text, payload_bytes, headers, occurred_at, due_at, expires_at,
  status, attempts, owner_token, available_at, created_at, ordering_key)
VALUES (
  :event_id, :event_type, :aggregate_type, :aggregate_id, :tenant_id, :idempotency_key,
  :correlation_id,
  :payload_text, :payload_bytes, :headers, :occurred_at, :due_at, :expires_at,
  :status, 0, :owner,
  GREATEST({now} + INTERVAL :lease MICROSECOND, COALESCE(:not_before, {now})),
  {now}, :ordering_key)

-- name: open_place
-- The row of the key is locked until the transaction ends, so the places of a key are in the order of the
-- commits.
INSERT INTO {table}_keys (ordering_key, last_seq, ended_seq) VALUES (:ordering_key, 1, 0)
ON DUPLICATE KEY UPDATE last_seq = last_seq + 1

-- name: read_place
SELECT last_seq, ended_seq FROM {table}_keys FORCE INDEX (PRIMARY) WHERE ordering_key = :ordering_key FOR UPDATE

-- name: take_place
INSERT INTO {table}_ordered (ordering_key, seq, event_id) VALUES (:ordering_key, :seq, :event_id)

-- name: place_first
UPDATE {table} SET ordering_key = :ordering_key WHERE event_id = :event_id

-- name: place_behind
UPDATE {table}
SET ordering_key = :ordering_key, status = 6, owner_token = NULL,
    available_at = GREATEST({now}, COALESCE(due_at, {now}))
WHERE event_id = :event_id

-- name: places
-- The first event of each key that has not ended.
SELECT known.ordering_key,
  (SELECT place.seq
   FROM {table}_ordered AS place FORCE INDEX (PRIMARY) JOIN {table} AS event FORCE INDEX (PRIMARY) ON event.event_id = place.event_id
   WHERE place.ordering_key = known.ordering_key AND event.status <> 1
   ORDER BY place.seq
   LIMIT 1) AS first_seq,
  (SELECT place.event_id
   FROM {table}_ordered AS place FORCE INDEX (PRIMARY) JOIN {table} AS event FORCE INDEX (PRIMARY) ON event.event_id = place.event_id
   WHERE place.ordering_key = known.ordering_key AND event.status <> 1
   ORDER BY place.seq
   LIMIT 1) AS first_id,
  known.last_seq
FROM {table}_keys AS known FORCE INDEX (PRIMARY)
WHERE known.ordering_key IN (:ids...)

-- name: lock_waiting
SELECT event_id, due_at, CASE WHEN due_at > {now} THEN 1 ELSE 0 END AS later
FROM {table} FORCE INDEX (PRIMARY)
WHERE event_id IN (:ids...) AND status = 6
FOR UPDATE SKIP LOCKED

-- name: start
UPDATE {table}
SET status = 0,
    owner_token = CASE WHEN due_at > {now} THEN NULL ELSE :owner END,
    available_at = CASE WHEN due_at > {now} THEN due_at ELSE {now} + INTERVAL :lease MICROSECOND END
WHERE event_id IN (:ids...)

-- name: pass_places
DELETE FROM {table}_ordered WHERE ordering_key = :ordering_key AND seq < :seq

-- name: lock_idle
SELECT ordering_key, last_seq
FROM {table}_keys FORCE INDEX (PRIMARY)
WHERE ordering_key IN (:ids...) AND last_seq <> ended_seq
FOR UPDATE SKIP LOCKED

-- name: mark_idle
UPDATE {table}_keys SET ended_seq = last_seq, idle_at = {now} WHERE ordering_key IN (:ids...)

-- name: empty_places
DELETE FROM {table}_ordered WHERE ordering_key IN (:ids...)

-- name: held
SELECT first.ordering_key, event.event_id, event.event_type, event.available_at, event.last_error
FROM (
  SELECT known.ordering_key,
    (SELECT place.event_id
     FROM {table}_ordered AS place FORCE INDEX (PRIMARY) JOIN {table} AS event FORCE INDEX (PRIMARY) ON event.event_id = place.event_id
     WHERE place.ordering_key = known.ordering_key AND event.status <> 1
     ORDER BY place.seq
     LIMIT 1) AS first_id
  FROM {table}_keys AS known FORCE INDEX (PRIMARY)
  WHERE known.ordering_key IN (:ids...)
) AS first JOIN {table} AS event ON event.event_id = first.first_id
WHERE event.status = 3

-- name: keys_of
SELECT DISTINCT ordering_key FROM {table} WHERE event_id IN (:ids...) AND ordering_key IS NOT NULL

-- name: look_at_keys
SELECT ordering_key, CASE WHEN last_seq = ended_seq THEN 0 ELSE 1 END AS busy
FROM {table}_keys
WHERE ordering_key > :after
ORDER BY ordering_key
LIMIT :limit

-- name: lock_forgotten
SELECT ordering_key
FROM {table}_keys FORCE INDEX (PRIMARY)
WHERE ordering_key IN (:ids...) AND last_seq = ended_seq AND idle_at < {now} - INTERVAL :age MICROSECOND
FOR UPDATE SKIP LOCKED

-- name: forget_keys
DELETE FROM {table}_keys WHERE ordering_key IN (:ids...)
