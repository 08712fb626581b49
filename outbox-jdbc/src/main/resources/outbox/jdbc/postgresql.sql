-- The statements of the outbox on PostgreSQL. {table} and {now} are put in when the file is loaded,
-- :name is a parameter. Durations are microseconds. Where live rows are looked for by time, the
-- predicate is the partial index's, literally, so that it is used. Where they are looked for by id,
-- it is NOT IN (1, 3), so that it is not: on a table that was analysed while empty the planner would
-- rather read that whole index. Completions go from the locked rows to the rows by ctid: the index is
-- asked once per event, not twice. A row that moved meanwhile is not found, and tried again.

-- name: columns
SELECT attname AS column_name
FROM pg_attribute
WHERE attrelid = to_regclass(:table) AND attnum > 0 AND NOT attisdropped

-- name: installed_version
SELECT MAX(version) AS version FROM {table}_schema

-- name: insert
INSERT INTO {table} (
  event_id, event_type, aggregate_type, aggregate_id, tenant_id, idempotency_key, correlation_id,
  payload_text, payload_bytes, headers, occurred_at, due_at, expires_at,
  status, attempts, owner_token, available_at, created_at)
VALUES (
  :event_id, :event_type, :aggregate_type, :aggregate_id, :tenant_id, :idempotency_key,
  :correlation_id,
  :payload_text, :payload_bytes, CAST(:headers AS json), :occurred_at, :due_at, :expires_at,
  0, 0, :owner,
  GREATEST({now} + :lease * INTERVAL '1 microsecond', CAST(:not_before AS timestamptz)), {now})

-- name: insert_all
INSERT INTO {table} (
  event_id, event_type, aggregate_type, aggregate_id, tenant_id, idempotency_key, correlation_id,
  payload_text, payload_bytes, headers, occurred_at, due_at, expires_at,
  status, attempts, owner_token, available_at, created_at)
SELECT
  event_id, event_type, aggregate_type, aggregate_id, tenant_id, idempotency_key, correlation_id,
  payload_text, payload_bytes, CAST(headers AS json), CAST(occurred_at AS timestamptz),
  CAST(due_at AS timestamptz), CAST(expires_at AS timestamptz),
  0, 0, :owner,
  GREATEST({now} + :lease * INTERVAL '1 microsecond', CAST(due_at AS timestamptz)), {now}
FROM unnest(
  CAST(:event_id AS varchar[]), CAST(:event_type AS varchar[]),
  CAST(:aggregate_type AS varchar[]), CAST(:aggregate_id AS varchar[]),
  CAST(:tenant_id AS varchar[]), CAST(:idempotency_key AS varchar[]),
  CAST(:correlation_id AS varchar[]),
  CAST(:payload_text AS text[]), CAST(:payload_bytes AS bytea[]), CAST(:headers AS text[]),
  CAST(:occurred_at AS text[]), CAST(:due_at AS text[]), CAST(:expires_at AS text[]))
  AS event (
    event_id, event_type, aggregate_type, aggregate_id, tenant_id, idempotency_key, correlation_id,
    payload_text, payload_bytes, headers, occurred_at, due_at, expires_at)

-- name: insert_once
-- Passes over an event whose key is there, be it as a key or as the id of an event without one. It
-- also passes over one whose id is there: the caller must check which of the two it was.
INSERT INTO {table} (
  event_id, event_type, aggregate_type, aggregate_id, tenant_id, idempotency_key, correlation_id,
  payload_text, payload_bytes, headers, occurred_at, due_at, expires_at,
  status, attempts, owner_token, available_at, created_at)
SELECT
  :event_id, :event_type, :aggregate_type, :aggregate_id, :tenant_id, :idempotency_key,
  :correlation_id,
  :payload_text, CAST(:payload_bytes AS bytea), CAST(:headers AS json),
  CAST(:occurred_at AS timestamptz), CAST(:due_at AS timestamptz),
  CAST(:expires_at AS timestamptz),
  0, 0, :owner,
  GREATEST({now} + :lease * INTERVAL '1 microsecond', CAST(:not_before AS timestamptz)), {now}
WHERE NOT EXISTS (
  SELECT FROM {table}
  WHERE event_id = :idempotency_key
    AND COALESCE(tenant_id, '') = COALESCE(CAST(:tenant_id AS varchar), '')
    AND (idempotency_key <> event_id COLLATE "C") IS NOT TRUE)
ON CONFLICT DO NOTHING

-- name: insert_all_once
INSERT INTO {table} (
  event_id, event_type, aggregate_type, aggregate_id, tenant_id, idempotency_key, correlation_id,
  payload_text, payload_bytes, headers, occurred_at, due_at, expires_at,
  status, attempts, owner_token, available_at, created_at)
SELECT
  event_id, event_type, aggregate_type, aggregate_id, tenant_id, idempotency_key, correlation_id,
  payload_text, payload_bytes, CAST(headers AS json), CAST(occurred_at AS timestamptz),
  CAST(due_at AS timestamptz), CAST(expires_at AS timestamptz),
  0, 0, :owner,
  GREATEST({now} + :lease * INTERVAL '1 microsecond', CAST(due_at AS timestamptz)), {now}
FROM unnest(
  CAST(:event_id AS varchar[]), CAST(:event_type AS varchar[]),
  CAST(:aggregate_type AS varchar[]), CAST(:aggregate_id AS varchar[]),
  CAST(:tenant_id AS varchar[]), CAST(:idempotency_key AS varchar[]),
  CAST(:correlation_id AS varchar[]),
  CAST(:payload_text AS text[]), CAST(:payload_bytes AS bytea[]), CAST(:headers AS text[]),
  CAST(:occurred_at AS text[]), CAST(:due_at AS text[]), CAST(:expires_at AS text[]))
  WITH ORDINALITY AS event (
    event_id, event_type, aggregate_type, aggregate_id, tenant_id, idempotency_key, correlation_id,
    payload_text, payload_bytes, headers, occurred_at, due_at, expires_at, place)
WHERE (
  SELECT first.event_id
  FROM {table} AS first
  WHERE first.event_id = event.idempotency_key
    AND COALESCE(first.tenant_id, '') = COALESCE(event.tenant_id, '')
    AND (first.idempotency_key <> first.event_id COLLATE "C") IS NOT TRUE) IS NULL
ORDER BY place
ON CONFLICT DO NOTHING
RETURNING event_id

-- name: find_keys
SELECT event_id, idempotency_key AS given_key
FROM {table}
WHERE COALESCE(tenant_id, '') = :tenant AND idempotency_key = ANY (:ids)
  AND idempotency_key <> event_id COLLATE "C"
UNION ALL
SELECT event_id, event_id
FROM {table}
WHERE event_id = ANY (:ids) AND COALESCE(tenant_id, '') = :tenant
  AND (idempotency_key <> event_id COLLATE "C") IS NOT TRUE

-- name: mark_done
UPDATE {table}
SET status = 1, done_at = {now}, processed_by = owner_token, owner_token = NULL,
    last_error = NULL, listeners = NULL, started = 0
WHERE event_id = :id AND status <> 1

-- name: mark_done_delete
DELETE FROM {table}
WHERE event_id = :id AND status <> 1 AND (idempotency_key <> event_id COLLATE "C") IS NOT TRUE

-- name: mark_retry
UPDATE {table}
SET status = 2, attempts = attempts + 1, available_at = :next_at, last_error = :error,
    owner_token = NULL, started = 0
WHERE event_id = :id AND status <> 1

-- name: mark_dead
UPDATE {table}
SET status = 3, available_at = {now}, last_error = :error, owner_token = NULL, started = 0
WHERE event_id = :id AND status <> 1

-- name: poll_pending
SELECT event_id, event_type, aggregate_type, aggregate_id, tenant_id, idempotency_key,
       correlation_id, payload_text, payload_bytes, headers, attempts, ordering_key, occurred_at, due_at, expires_at, created_at
FROM {table}
WHERE status IN (0, 2) AND available_at <= :at AND created_at <= :created_before
ORDER BY created_at, event_id
LIMIT :limit

-- name: any_due
SELECT 1 FROM {table}
WHERE status IN (0, 2) AND available_at <= {now}
ORDER BY available_at, event_id
LIMIT 1

-- name: inspect
SELECT event_id, status, owner_token, processed_by, attempts FROM {table} WHERE event_id = ANY (:ids)

-- name: version1_payload
SELECT event_id, CAST(payload AS text) AS payload
FROM {table}
WHERE event_id = ANY (:ids) AND payload IS NOT NULL

-- name: claim
-- relaxed says that the statement is a transaction of its own. It need not be on disk then before the caller
-- works: what comes of it is written behind it, and a claim that a crash of the server takes along
-- leaves the events to the next one. Rows are taken by their place: but for a reaper no statement moves one that
-- stays due, and what he moves is left to the next claim as well.
WITH due AS MATERIALIZED (
  SELECT ctid AS place, event_id, available_at,
         COALESCE(octet_length(payload_text), octet_length(payload_bytes), 0) AS bytes
  FROM {table}
  WHERE status IN (0, 2)
    AND available_at <= {now}
    AND available_at > CASE WHEN CAST(:after AS timestamptz) <= {now}
                            THEN CAST(:after AS timestamptz) ELSE '-infinity' END
    AND (occurred_at IS NOT NULL
         OR created_at <= {now} - :skip_recent * INTERVAL '1 microsecond')
  ORDER BY available_at, event_id
  LIMIT :limit
  FOR UPDATE SKIP LOCKED
), summed AS (
  SELECT place, available_at,
         SUM(bytes) OVER (ORDER BY available_at, event_id
                          ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_before
  FROM due
), taken AS (
  SELECT place, available_at FROM summed WHERE COALESCE(bytes_before, 0) < :max_bytes
)
UPDATE {table}
SET lease_expiries = lease_expiries
      + CASE WHEN owner_token IS NOT NULL AND started = 2 THEN 1 ELSE 0 END,
    started = CASE WHEN owner_token IS NOT NULL OR started > 0 THEN 1 ELSE 0 END,
    owner_token = :owner,
    available_at = {now} + :lease * INTERVAL '1 microsecond'
WHERE ctid = ANY (ARRAY(SELECT place FROM taken))
RETURNING event_id, event_type, aggregate_type, aggregate_id, tenant_id, idempotency_key,
          correlation_id, payload_text, payload_bytes, headers, attempts, ordering_key, occurred_at, due_at, expires_at,
          created_at, started, lease_expiries, last_error, listeners, available_at,
          CASE WHEN expires_at <= {now} THEN 1 ELSE 0 END AS expired,
          (SELECT MAX(available_at) FROM taken) AS watermark,
          (SELECT set_config('synchronous_commit', 'off', true) WHERE :relaxed)

-- name: claim_by_id
UPDATE {table}
SET lease_expiries = lease_expiries
      + CASE WHEN owner_token IS NOT NULL AND started = 2 THEN 1 ELSE 0 END,
    started = CASE WHEN owner_token IS NOT NULL OR started > 0 THEN 1 ELSE 0 END,
    owner_token = :owner,
    available_at = {now} + :lease * INTERVAL '1 microsecond'
WHERE event_id = ANY (ARRAY(
  SELECT event_id FROM {table}
  WHERE event_id = ANY (:ids) AND status NOT IN (1, 3, 6)
    AND (owner_token IS NULL OR available_at <= {now})
  FOR UPDATE SKIP LOCKED))
RETURNING event_id, event_type, aggregate_type, aggregate_id, tenant_id, idempotency_key,
          correlation_id, payload_text, payload_bytes, headers, attempts, ordering_key, occurred_at, due_at, expires_at,
          created_at, started, lease_expiries, last_error, listeners, available_at,
          CASE WHEN expires_at <= {now} THEN 1 ELSE 0 END AS expired,
          (SELECT set_config('synchronous_commit', 'off', true) WHERE :relaxed)

-- name: ack
UPDATE {table}
SET status = 1, done_at = {now}, processed_by = owner_token, owner_token = NULL,
    last_error = NULL, listeners = NULL, started = 0
WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM {table}
  WHERE event_id = ANY (ARRAY(SELECT unnest(CAST(:ids AS varchar[])))) AND owner_token = :owner AND status NOT IN (1, 3)
  FOR UPDATE SKIP LOCKED))
RETURNING event_id

-- name: ack_delete
DELETE FROM {table}
WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM {table}
  WHERE event_id = ANY (ARRAY(SELECT unnest(CAST(:ids AS varchar[])))) AND owner_token = :owner AND status NOT IN (1, 3)
    AND (idempotency_key <> event_id COLLATE "C") IS NOT TRUE
  FOR UPDATE SKIP LOCKED))
RETURNING event_id

-- name: ack_keyed
UPDATE {table}
SET status = 1, done_at = {now}, processed_by = owner_token, owner_token = NULL,
    last_error = NULL, listeners = NULL, started = 0
WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM {table}
  WHERE event_id = ANY (ARRAY(SELECT unnest(CAST(:ids AS varchar[])))) AND owner_token = :owner AND status NOT IN (1, 3)
    AND idempotency_key <> event_id COLLATE "C"
  FOR UPDATE SKIP LOCKED))
RETURNING event_id

-- name: abandon
UPDATE {table} AS event
SET status = 2, attempts = attempts + 1, last_error = COALESCE(failure.error, last_error),
    listeners = COALESCE(failure.listeners, event.listeners),
    available_at = GREATEST({now} + failure.delay * INTERVAL '1 microsecond', due_at),
    owner_token = NULL, started = 0
FROM unnest(CAST(:ids AS varchar[]), CAST(:delays AS bigint[]), CAST(:errors AS text[]),
    CAST(:listeners AS text[]))
  AS failure (event_id, delay, error, listeners)
WHERE event.event_id = failure.event_id
  AND event.event_id = ANY (ARRAY(
    SELECT event_id FROM {table}
    WHERE event_id = ANY (:ids) AND owner_token = :owner AND status NOT IN (1, 3)
    FOR UPDATE SKIP LOCKED))
RETURNING event.event_id

-- name: defer
UPDATE {table}
SET available_at = GREATEST({now} + :delay * INTERVAL '1 microsecond', due_at),
    owner_token = NULL, started = CASE WHEN started = 1 THEN 1 ELSE 0 END,
    listeners = COALESCE(CAST(:listeners AS text), listeners)
WHERE event_id = ANY (ARRAY(
  SELECT event_id FROM {table}
  WHERE event_id = ANY (:ids) AND owner_token = :owner AND status NOT IN (1, 3)
  FOR UPDATE SKIP LOCKED))
RETURNING event_id

-- name: fail
UPDATE {table} AS event
SET status = 3, attempts = attempts + 1, available_at = {now}, last_error = failure.error,
    listeners = COALESCE(failure.listeners, event.listeners),
    owner_token = NULL, started = 0
FROM unnest(CAST(:ids AS varchar[]), CAST(:errors AS text[]), CAST(:listeners AS text[]))
  AS failure (event_id, error, listeners)
WHERE event.event_id = failure.event_id
  AND event.event_id = ANY (ARRAY(
    SELECT event_id FROM {table}
    WHERE event_id = ANY (:ids) AND owner_token = :owner AND status NOT IN (1, 3)
    FOR UPDATE SKIP LOCKED))
RETURNING event.event_id

-- name: renew
UPDATE {table}
SET available_at = {now} + :lease * INTERVAL '1 microsecond'
WHERE event_id = ANY (ARRAY(
  SELECT event_id FROM {table}
  WHERE event_id = ANY (:ids) AND owner_token = :owner AND status NOT IN (1, 3)
  FOR UPDATE SKIP LOCKED))
RETURNING event_id

-- name: mark_started
UPDATE {table}
SET started = 2, available_at = {now} + :lease * INTERVAL '1 microsecond'
WHERE event_id = ANY (ARRAY(
  SELECT event_id FROM {table}
  WHERE event_id = ANY (:ids) AND owner_token = :owner AND status NOT IN (1, 3)
  FOR UPDATE SKIP LOCKED))
RETURNING event_id

-- name: reap
-- The lower bound excludes nothing: without statistics it lets the planner expect few rows, and so
-- walk the index in order instead of sorting the backlog.
WITH oldest AS MATERIALIZED (
  SELECT event_id, owner_token
  FROM {table}
  WHERE status IN (0, 2) AND available_at > '-infinity'
    AND available_at < {now} - :grace * INTERVAL '1 microsecond'
  ORDER BY available_at, event_id
  LIMIT :window
), expired AS MATERIALIZED (
  SELECT event_id
  FROM {table}
  WHERE event_id = ANY (ARRAY(SELECT event_id FROM oldest WHERE owner_token IS NOT NULL))
    AND status NOT IN (1, 3) AND owner_token IS NOT NULL
    AND available_at < {now} - :grace * INTERVAL '1 microsecond'
  LIMIT :limit
  FOR UPDATE SKIP LOCKED
)
UPDATE {table}
SET lease_expiries = lease_expiries + CASE WHEN started = 2 THEN 1 ELSE 0 END,
    started = 1,
    owner_token = NULL
WHERE event_id = ANY (ARRAY(SELECT event_id FROM expired))

-- name: now
SELECT {now} AS now

-- name: dead_letters
SELECT event_id, event_type, aggregate_type, aggregate_id, tenant_id, correlation_id,
       idempotency_key, CAST(NULL AS text) AS payload_text, CAST(NULL AS bytea) AS payload_bytes, headers, attempts, ordering_key,
       occurred_at, due_at, expires_at, created_at, available_at, last_error, listeners, replays,
       replayed_at, replayed_by
FROM {table}
WHERE status = 3
  AND (created_at, event_id)
      < (COALESCE(CAST(:after_at AS timestamptz), 'infinity'), COALESCE(:after_id, ''))
  AND (CAST(:topic AS text) IS NULL OR event_type = :topic)
  AND (CAST(:tenant_id AS text) IS NULL OR tenant_id = :tenant_id)
  AND CAST(:source AS text) IS NULL
  AND (CAST(:correlation_id AS text) IS NULL OR correlation_id = :correlation_id)
  AND (CAST(:error AS text) IS NULL OR strpos(last_error, :error) > 0)
  AND (CAST(:died_from AS timestamptz) IS NULL OR available_at >= CAST(:died_from AS timestamptz))
  AND (CAST(:died_before AS timestamptz) IS NULL OR available_at < CAST(:died_before AS timestamptz))
ORDER BY created_at DESC, event_id DESC
LIMIT :limit

-- name: dead_letter
SELECT event_id, event_type, aggregate_type, aggregate_id, tenant_id, correlation_id,
       idempotency_key, payload_text, payload_bytes, headers, attempts, ordering_key,
       occurred_at, due_at, expires_at, created_at, available_at, last_error, listeners, replays,
       replayed_at, replayed_by
FROM {table}
WHERE event_id = :id AND status NOT IN (0, 1, 2, 4, 5, 6)

-- name: count_dead
SELECT COUNT(*) AS looked_at,
  COUNT(CASE WHEN (CAST(:topic AS text) IS NULL OR event_type = :topic)
    AND (CAST(:tenant_id AS text) IS NULL OR tenant_id = :tenant_id)
    AND CAST(:source AS text) IS NULL
    AND (CAST(:correlation_id AS text) IS NULL OR correlation_id = :correlation_id)
    AND (CAST(:error AS text) IS NULL OR strpos(last_error, :error) > 0)
    AND (CAST(:died_from AS timestamptz) IS NULL OR available_at >= CAST(:died_from AS timestamptz))
    AND (CAST(:died_before AS timestamptz) IS NULL OR available_at < CAST(:died_before AS timestamptz)) THEN 1 END) AS found
FROM (
  SELECT * FROM {table}
  WHERE status = 3
  ORDER BY created_at DESC, event_id DESC
  LIMIT :window
) AS newest

-- name: replay
UPDATE {table}
SET status = 0, attempts = 0, lease_expiries = 0, started = 0, owner_token = NULL,
    available_at = GREATEST({now}, due_at),
    due_at = GREATEST({now}, due_at),
    expires_at = CASE WHEN expires_at <= {now} THEN NULL ELSE expires_at END,
    listeners = CASE WHEN :failed_only = 1 THEN REPLACE(listeners, ':"dead', ':"failed') END,
    replays = replays + 1, replayed_at = {now}, replayed_by = :by
WHERE event_id = ANY (ARRAY(
  SELECT event_id FROM {table}
  WHERE event_id = ANY (:ids) AND status NOT IN (0, 1, 2, 4, 5, 6)
    AND (CAST(:died_before AS timestamptz) IS NULL
         OR available_at < CAST(:died_before AS timestamptz))
  FOR UPDATE SKIP LOCKED))
RETURNING event_id

-- name: discard
UPDATE {table}
SET status = 1, done_at = {now}, processed_by = :by, owner_token = NULL, last_error = :error
WHERE event_id = ANY (ARRAY(
  SELECT event_id FROM {table}
  WHERE event_id = ANY (:ids) AND status NOT IN (0, 1, 2, 4, 5, 6)
    AND (CAST(:died_before AS timestamptz) IS NULL
         OR available_at < CAST(:died_before AS timestamptz))
  FOR UPDATE SKIP LOCKED))
RETURNING event_id

-- name: backlog
SELECT COUNT(*) AS due
FROM (
  SELECT event_id FROM {table}
  WHERE status IN (0, 2) AND available_at > '-infinity' AND available_at <= {now}
  ORDER BY available_at, event_id
  LIMIT :limit
) AS waiting

-- name: purge_payloads
UPDATE {table}
SET payload_text = NULL, payload_bytes = NULL, kept = 0
WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM {table}
  WHERE status = 1 AND kept = 1 AND done_at < {now} - :age * INTERVAL '1 microsecond'
  ORDER BY done_at
  LIMIT :limit
  FOR UPDATE SKIP LOCKED))

-- name: purge_payloads_beside
-- As long as version 1's column is there, the payload is in it too.
UPDATE {table}
SET payload_text = NULL, payload_bytes = NULL, payload = NULL, kept = 0
WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM {table}
  WHERE status = 1 AND kept = 1 AND done_at < {now} - :age * INTERVAL '1 microsecond'
  ORDER BY done_at
  LIMIT :limit
  FOR UPDATE SKIP LOCKED))

-- name: purge_done
-- Those without a payload first, so that each of the two is read in the order of the index.
WITH cleared AS MATERIALIZED (
  SELECT ctid AS place FROM {table}
  WHERE status = 1 AND kept = 0 AND done_at < {now} - :age * INTERVAL '1 microsecond'
  ORDER BY done_at
  LIMIT :limit
  FOR UPDATE SKIP LOCKED
), complete AS MATERIALIZED (
  SELECT ctid AS place FROM {table}
  WHERE status = 1 AND kept = 1 AND done_at < {now} - :age * INTERVAL '1 microsecond'
  ORDER BY done_at
  LIMIT :limit - (SELECT COUNT(*) FROM cleared)
  FOR UPDATE SKIP LOCKED
)
DELETE FROM {table}
WHERE ctid = ANY (ARRAY(SELECT place FROM cleared UNION ALL SELECT place FROM complete))

-- name: purge_dead
DELETE FROM {table}
WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM {table}
  WHERE status = 3 AND available_at < {now} - :age * INTERVAL '1 microsecond'
  ORDER BY created_at, event_id
  LIMIT :limit
  FOR UPDATE SKIP LOCKED))
