-- The statements of events with an ordering key on PostgreSQL; see the file of the outbox for the form.
-- {table}_keys has the last place of each key, {table}_ordered the places of events that have not ended, and of
-- some that have. An event whose key is there and whose ended_seq is the place before is the first of its key.

-- name: insert_ordered
-- One statement: the row of the key is locked until the transaction ends, so the places of a key are in the
-- order of the commits. Above READ COMMITTED it fails if the key has changed since the snapshot.
WITH place AS (
  INSERT INTO {table}_keys AS known (ordering_key, last_seq, ended_seq)
  VALUES (:ordering_key, 1, 0)
  ON CONFLICT (ordering_key) DO UPDATE SET last_seq = known.last_seq + 1
  RETURNING last_seq, last_seq = ended_seq + 1 AS is_first
), stored AS (
  INSERT INTO {table} (
    event_id, event_type, aggregate_type, aggregate_id, tenant_id, idempotency_key, correlation_id,
    payload_text, payload_bytes, headers, occurred_at, due_at, expires_at,
    status, attempts, owner_token, available_at, created_at, ordering_key)
  SELECT
    :event_id, :event_type, :aggregate_type, :aggregate_id, :tenant_id, :idempotency_key,
    :correlation_id,
    :payload_text, CAST(:payload_bytes AS bytea), CAST(:headers AS json),
    CAST(:occurred_at AS timestamptz), CAST(:due_at AS timestamptz),
    CAST(:expires_at AS timestamptz),
    CASE WHEN is_first THEN 0 ELSE 6 END, 0, CASE WHEN is_first THEN :owner END,
    GREATEST({now} + :lease * INTERVAL '1 microsecond', CAST(:not_before AS timestamptz)), {now},
    :ordering_key
  FROM place
  RETURNING status
), taken AS (
  INSERT INTO {table}_ordered (ordering_key, seq, event_id)
  SELECT :ordering_key, last_seq, :event_id FROM place
)
SELECT status FROM stored

-- name: next_place
INSERT INTO {table}_keys AS known (ordering_key, last_seq, ended_seq)
VALUES (:ordering_key, 1, 0)
ON CONFLICT (ordering_key) DO UPDATE SET last_seq = known.last_seq + 1
RETURNING last_seq, ended_seq

-- name: take_place
INSERT INTO {table}_ordered (ordering_key, seq, event_id) VALUES (:ordering_key, :seq, :event_id)

-- name: place_first
UPDATE {table} SET ordering_key = :ordering_key WHERE event_id = :event_id

-- name: place_behind
UPDATE {table}
SET ordering_key = :ordering_key, status = 6, owner_token = NULL,
    available_at = GREATEST({now}, due_at)
WHERE event_id = :event_id

-- name: advance
-- The first event of each key that has not ended is started if it waits. Places before it go. A key without such an
-- event is idle, if no place was given since, and if no transaction is about to give one.
WITH places AS MATERIALIZED (
  SELECT known.ordering_key, known.last_seq, known.ended_seq, first.seq, first.event_id, first.status
  FROM {table}_keys AS known
  LEFT JOIN LATERAL (
    SELECT place.seq, place.event_id, event.status
    FROM {table}_ordered AS place JOIN {table} AS event ON event.event_id = place.event_id
    WHERE place.ordering_key = known.ordering_key AND event.status <> 1
    ORDER BY place.seq
    LIMIT 1) AS first ON TRUE
  WHERE known.ordering_key = ANY (:ids)
), passed AS (
  DELETE FROM {table}_ordered AS place USING places
  WHERE place.ordering_key = places.ordering_key AND place.seq < places.seq
), idle AS (
  UPDATE {table}_keys AS known
  SET ended_seq = known.last_seq, idle_at = {now}
  WHERE known.ordering_key = ANY (ARRAY(
    SELECT free.ordering_key
    FROM places JOIN {table}_keys AS free ON free.ordering_key = places.ordering_key
    WHERE places.seq IS NULL AND places.last_seq <> places.ended_seq
      AND free.last_seq = places.last_seq
    FOR UPDATE OF free SKIP LOCKED))
  RETURNING known.ordering_key, known.last_seq
), emptied AS (
  DELETE FROM {table}_ordered AS place USING idle
  WHERE place.ordering_key = idle.ordering_key AND place.seq <= idle.last_seq
)
UPDATE {table} AS event
SET status = 0,
    owner_token = CASE WHEN due_at > {now} THEN NULL ELSE CAST(:owner AS varchar) END,
    available_at = CASE WHEN due_at > {now} THEN due_at
                        ELSE {now} + :lease * INTERVAL '1 microsecond' END
FROM places
WHERE event.event_id = places.event_id AND places.status = 6
  AND event.event_id = ANY (ARRAY(
    SELECT waiting.event_id
    FROM {table} AS waiting
    WHERE waiting.event_id = ANY (ARRAY(SELECT event_id FROM places WHERE places.status = 6))
      AND waiting.status = 6
    FOR UPDATE SKIP LOCKED))
RETURNING event.event_id, event_type, aggregate_type, aggregate_id, tenant_id, idempotency_key,
          correlation_id, payload_text, payload_bytes, headers, attempts, event.ordering_key, occurred_at, due_at,
          expires_at, created_at, started, lease_expiries, last_error, listeners, available_at,
          CASE WHEN expires_at <= {now} THEN 1 ELSE 0 END AS expired,
          CASE WHEN owner_token IS NULL THEN 1 ELSE 0 END AS untaken,
          CASE WHEN places.last_seq > places.seq THEN 1 ELSE 0 END AS followed,
          (SELECT set_config('synchronous_commit', 'off', true) WHERE :relaxed)

-- name: held
SELECT asked.ordering_key, first.event_id, first.event_type, first.available_at, first.last_error
FROM unnest(CAST(:ids AS varchar[])) AS asked (ordering_key)
CROSS JOIN LATERAL (
  SELECT event.event_id, event.event_type, event.available_at, event.last_error, event.status
  FROM {table}_ordered AS place JOIN {table} AS event ON event.event_id = place.event_id
  WHERE place.ordering_key = asked.ordering_key AND event.status <> 1
  ORDER BY place.seq
  LIMIT 1) AS first
WHERE first.status = 3

-- name: release
-- A dead event is the first of its key that has not ended.
DELETE FROM {table}_ordered AS gone
USING {table} AS dead
CROSS JOIN LATERAL (
  SELECT place.seq, place.event_id
  FROM {table}_ordered AS place JOIN {table} AS event ON event.event_id = place.event_id
  WHERE place.ordering_key = dead.ordering_key AND event.status <> 1
  ORDER BY place.seq
  LIMIT 1) AS first
WHERE dead.event_id = ANY (:ids) AND dead.status NOT IN (0, 1, 2, 4, 5, 6)
  AND first.event_id = dead.event_id
  AND gone.ordering_key = dead.ordering_key AND gone.seq <= first.seq
RETURNING gone.ordering_key

-- name: keys_of
SELECT DISTINCT ordering_key FROM {table} WHERE event_id = ANY (:ids) AND ordering_key IS NOT NULL

-- name: look_at_keys
SELECT ordering_key, CASE WHEN last_seq = ended_seq THEN 0 ELSE 1 END AS busy
FROM {table}_keys
WHERE ordering_key > :after
ORDER BY ordering_key
LIMIT :limit

-- name: forget_keys
DELETE FROM {table}_keys
WHERE ordering_key = ANY (ARRAY(
  SELECT ordering_key FROM {table}_keys
  WHERE ordering_key = ANY (:ids) AND last_seq = ended_seq
    AND idle_at < {now} - :age * INTERVAL '1 microsecond'
  FOR UPDATE SKIP LOCKED))
