-- The statements of the outbox on MariaDB and MySQL. {table} and {now} are put in when the file is
-- loaded, :name is a parameter, :ids... a list of them, {rows} stands around what is repeated for each
-- event. Durations are microseconds. Claims go by claimable_at, which is available_at while the row is
-- live and null otherwise. An assignment sees the columns assigned before it: their order matters.

-- name: columns
SELECT LOWER(column_name) AS column_name
FROM information_schema.columns
WHERE table_schema = COALESCE(:schema, DATABASE()) AND table_name = :name

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
  :payload_text, :payload_bytes, :headers, :occurred_at, :due_at, :expires_at,
  0, 0, :owner,
  GREATEST({now} + INTERVAL :lease MICROSECOND, COALESCE(:not_before, {now})),
  {now})

-- name: insert_all
INSERT INTO {table} (
  event_id, event_type, aggregate_type, aggregate_id, tenant_id, idempotency_key, correlation_id,
  payload_text, payload_bytes, headers, occurred_at, due_at, expires_at,
  status, attempts, owner_token, available_at, created_at)
VALUES
  {rows}(:event_id, :event_type, :aggregate_type, :aggregate_id, :tenant_id, :idempotency_key,
   :correlation_id,
   :payload_text, :payload_bytes, :headers, :occurred_at, :due_at, :expires_at,
   0, 0, :owner,
   GREATEST({now} + INTERVAL :lease MICROSECOND, COALESCE(:not_before, {now})), {now}){/rows}

-- name: find_keys
SELECT event_id, key_given AS given_key
FROM {table}
WHERE key_tenant = :tenant AND key_given IN (:ids...)
UNION ALL
SELECT event_id, event_id
FROM {table}
WHERE event_id IN (:ids...) AND key_given IS NULL AND COALESCE(tenant_id, '') = :tenant

-- name: lock_keys
-- By the key only, which is there: what is not there would lock the gap at REPEATABLE READ, for ids the
-- one into which all publishers insert.
SELECT event_id, key_given AS given_key
FROM {table}
WHERE key_tenant = :tenant AND key_given IN (:ids...)
LOCK IN SHARE MODE

-- name: give_key
-- MySQL only.
UPDATE {table} SET idempotency_key = :idempotency_key WHERE event_id = :event_id

-- name: mark_done
UPDATE {table}
SET status = 1, done_at = {now}, processed_by = owner_token, owner_token = NULL,
    last_error = NULL, listeners = NULL, started = 0
WHERE event_id = :id AND status <> 1

-- name: mark_done_delete
DELETE FROM {table} WHERE event_id = :id AND status <> 1 AND key_given IS NULL

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
SELECT 1 FROM {table} FORCE INDEX (idx_claim) WHERE claimable_at <= {now} LIMIT 1

-- name: inspect
SELECT event_id, status, owner_token, processed_by, attempts FROM {table} WHERE event_id IN (:ids...)

-- name: inspect_unlocked
-- As it is now, whatever the snapshot of the caller's transaction shows. Fails on one that is locked: one that
-- is gone looks the same to a read that skips.
SELECT event_id, status, owner_token, processed_by, attempts FROM {table} FORCE INDEX (PRIMARY)
WHERE event_id IN (:ids...)
FOR UPDATE NOWAIT

-- name: version1_payload
SELECT event_id, payload
FROM {table}
WHERE event_id IN (:ids...) AND payload IS NOT NULL

-- name: lock_due
SELECT event_id, available_at,
       COALESCE(OCTET_LENGTH(payload_text), OCTET_LENGTH(payload_bytes), 0) AS bytes
FROM {table} FORCE INDEX (idx_claim)
WHERE claimable_at <= {now}
  AND claimable_at > CASE WHEN CAST(:after AS DATETIME(6)) <= {now} THEN CAST(:after AS DATETIME(6))
                          ELSE CAST('1000-01-01' AS DATETIME(6)) END
  AND (occurred_at IS NOT NULL OR created_at <= {now} - INTERVAL :skip_recent MICROSECOND)
ORDER BY claimable_at, event_id
LIMIT :limit
FOR UPDATE SKIP LOCKED

-- name: lock_free
SELECT event_id FROM {table} FORCE INDEX (PRIMARY)
WHERE event_id IN (:ids...) AND status IN (0, 2)
  AND (owner_token IS NULL OR available_at <= {now})
FOR UPDATE SKIP LOCKED

-- name: lock_owned
SELECT event_id FROM {table} FORCE INDEX (PRIMARY)
WHERE event_id IN (:ids...) AND owner_token = :owner AND status IN (0, 2)
FOR UPDATE SKIP LOCKED

-- name: lock_expired
SELECT event_id FROM {table}
WHERE event_id IN (
    SELECT event_id FROM (
      SELECT event_id, owner_token FROM {table} FORCE INDEX (idx_claim)
      WHERE claimable_at < {now} - INTERVAL :grace MICROSECOND
      ORDER BY claimable_at, event_id
      LIMIT :window
    ) AS oldest
    WHERE owner_token IS NOT NULL)
  AND owner_token IS NOT NULL AND claimable_at < {now} - INTERVAL :grace MICROSECOND
LIMIT :limit
FOR UPDATE SKIP LOCKED

-- name: take
UPDATE {table}
SET lease_expiries = lease_expiries
      + CASE WHEN owner_token IS NOT NULL AND started = 2 THEN 1 ELSE 0 END,
    started = CASE WHEN owner_token IS NOT NULL OR started > 0 THEN 1 ELSE 0 END,
    owner_token = :owner,
    available_at = {now} + INTERVAL :lease MICROSECOND
WHERE event_id IN (:ids...)

-- name: read
SELECT event_id, event_type, aggregate_type, aggregate_id, tenant_id, idempotency_key,
       correlation_id, payload_text, payload_bytes, headers, attempts, ordering_key, occurred_at, due_at, expires_at,
       created_at, started, lease_expiries, last_error, listeners, available_at,
       CASE WHEN expires_at <= {now} THEN 1 ELSE 0 END AS expired
FROM {table}
WHERE event_id IN (:ids...)

-- name: ack
UPDATE {table} FORCE INDEX (PRIMARY)
SET status = 1, done_at = {now}, processed_by = owner_token, owner_token = NULL,
    last_error = NULL, listeners = NULL, started = 0
WHERE event_id IN (:ids...)

-- name: ack_delete
DELETE FROM {table} WHERE event_id IN (:ids...) AND key_given IS NULL

-- name: ack_keyed
UPDATE {table} FORCE INDEX (PRIMARY)
SET status = 1, done_at = {now}, processed_by = owner_token, owner_token = NULL,
    last_error = NULL, listeners = NULL, started = 0
WHERE event_id IN (:ids...) AND key_given IS NOT NULL

-- name: abandon
UPDATE {table}
SET status = 2, attempts = attempts + 1, last_error = COALESCE(:error, last_error),
    listeners = COALESCE(:listeners, listeners),
    available_at = GREATEST({now} + INTERVAL :delay MICROSECOND, COALESCE(due_at, {now})),
    owner_token = NULL, started = 0
WHERE event_id = :id

-- name: defer
UPDATE {table} FORCE INDEX (PRIMARY)
SET available_at = GREATEST({now} + INTERVAL :delay MICROSECOND, COALESCE(due_at, {now})),
    owner_token = NULL, started = CASE WHEN started = 1 THEN 1 ELSE 0 END,
    listeners = COALESCE(:listeners, listeners)
WHERE event_id IN (:ids...)

-- name: fail
UPDATE {table}
SET status = 3, attempts = attempts + 1, available_at = {now}, last_error = :error,
    listeners = COALESCE(:listeners, listeners), owner_token = NULL, started = 0
WHERE event_id = :id

-- name: renew
UPDATE {table}
SET available_at = {now} + INTERVAL :lease MICROSECOND
WHERE event_id IN (:ids...)

-- name: mark_started
UPDATE {table}
SET started = 2, available_at = {now} + INTERVAL :lease MICROSECOND
WHERE event_id IN (:ids...)

-- name: reap
UPDATE {table}
SET lease_expiries = lease_expiries + CASE WHEN started = 2 THEN 1 ELSE 0 END,
    started = 1,
    owner_token = NULL
WHERE event_id IN (:ids...)

-- name: now
SELECT {now} AS now

-- name: dead_letters
SELECT event_id, event_type, aggregate_type, aggregate_id, tenant_id, correlation_id,
       idempotency_key, NULL AS payload_text, NULL AS payload_bytes, headers, attempts, ordering_key,
       occurred_at, due_at, expires_at, created_at, available_at, last_error, listeners, replays,
       replayed_at, replayed_by
FROM {table} FORCE INDEX ({name}_dead)
WHERE dead_created_at <= COALESCE(CAST(:after_at AS DATETIME(6)), CAST('9999-12-31' AS DATETIME(6)))
  AND (CAST(:after_at AS DATETIME(6)) IS NULL OR dead_created_at < CAST(:after_at AS DATETIME(6)) OR event_id < :after_id)
  AND (:topic IS NULL OR event_type = :topic)
  AND (:tenant_id IS NULL OR tenant_id = :tenant_id)
  AND :source IS NULL
  AND (:correlation_id IS NULL OR correlation_id = :correlation_id)
  AND (:error IS NULL OR LOCATE(:error, last_error) > 0)
  AND (:died_from IS NULL OR available_at >= :died_from)
  AND (:died_before IS NULL OR available_at < :died_before)
ORDER BY dead_created_at DESC, event_id DESC
LIMIT :limit

-- name: dead_letter
SELECT event_id, event_type, aggregate_type, aggregate_id, tenant_id, correlation_id,
       idempotency_key, payload_text, payload_bytes, headers, attempts, ordering_key,
       occurred_at, due_at, expires_at, created_at, available_at, last_error, listeners, replays,
       replayed_at, replayed_by
FROM {table}
WHERE event_id = :id AND status = 3

-- name: count_dead
SELECT COUNT(*) AS looked_at,
  COUNT(CASE WHEN (:topic IS NULL OR event_type = :topic)
    AND (:tenant_id IS NULL OR tenant_id = :tenant_id)
    AND :source IS NULL
    AND (:correlation_id IS NULL OR correlation_id = :correlation_id)
    AND (:error IS NULL OR LOCATE(:error, last_error) > 0)
    AND (:died_from IS NULL OR available_at >= :died_from)
    AND (:died_before IS NULL OR available_at < :died_before) THEN 1 END) AS found
FROM (
  SELECT * FROM {table} FORCE INDEX ({name}_dead)
  WHERE dead_created_at <= CAST('9999-12-31' AS DATETIME(6))
  ORDER BY dead_created_at DESC, event_id DESC
  LIMIT :window
) AS newest

-- name: lock_dead
SELECT event_id FROM {table} FORCE INDEX (PRIMARY)
WHERE event_id IN (:ids...) AND status = 3
  AND (CAST(:died_before AS DATETIME(6)) IS NULL OR available_at < CAST(:died_before AS DATETIME(6)))
FOR UPDATE SKIP LOCKED

-- name: replay
UPDATE {table}
SET status = 0, attempts = 0, lease_expiries = 0, started = 0, owner_token = NULL,
    available_at = GREATEST({now}, COALESCE(due_at, {now})),
    due_at = GREATEST({now}, COALESCE(due_at, {now})),
    expires_at = CASE WHEN expires_at <= {now} THEN NULL ELSE expires_at END,
    listeners = CASE WHEN :failed_only = 1 THEN REPLACE(listeners, ':"dead', ':"failed') END,
    replays = replays + 1, replayed_at = {now}, replayed_by = :by
WHERE event_id IN (:ids...)

-- name: discard
UPDATE {table}
SET status = 1, done_at = {now}, processed_by = :by, owner_token = NULL, last_error = :error
WHERE event_id IN (:ids...)

-- name: backlog
SELECT COUNT(*) AS due
FROM (
  SELECT event_id FROM {table} FORCE INDEX (idx_claim)
  WHERE claimable_at <= {now}
  ORDER BY claimable_at, event_id
  LIMIT :limit
) AS waiting

-- name: lock_purge_payloads
SELECT event_id FROM {table} FORCE INDEX ({name}_done)
WHERE status = 1 AND kept = 1 AND done_at < {now} - INTERVAL :age MICROSECOND
LIMIT :limit
FOR UPDATE SKIP LOCKED

-- name: purge_payloads
UPDATE {table} SET payload_text = NULL, payload_bytes = NULL, kept = 0 WHERE event_id IN (:ids...)

-- name: purge_payloads_beside
-- As long as version 1's column is there, the payload is in it too.
UPDATE {table} SET payload_text = NULL, payload_bytes = NULL, payload = NULL, kept = 0 WHERE event_id IN (:ids...)

-- name: lock_purge_done
SELECT event_id FROM {table} FORCE INDEX ({name}_done)
WHERE status = 1 AND kept IN (0, 1) AND done_at < {now} - INTERVAL :age MICROSECOND
LIMIT :limit
FOR UPDATE SKIP LOCKED

-- name: purge_done
DELETE FROM {table} WHERE event_id IN (:ids...)

-- name: lock_purge_dead
SELECT event_id FROM {table} FORCE INDEX ({name}_dead)
WHERE dead_created_at <= CAST('9999-12-31' AS DATETIME(6)) AND available_at < {now} - INTERVAL :age MICROSECOND
LIMIT :limit
FOR UPDATE SKIP LOCKED

-- name: purge_dead
DELETE FROM {table} WHERE event_id IN (:ids...)
