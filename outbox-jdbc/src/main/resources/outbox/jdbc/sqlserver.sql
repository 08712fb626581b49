-- The statements of the outbox on SQL Server. {table} and {now} are put in when the file is loaded,
-- :name is a parameter, :ids... a list of them, {rows} stands around what is repeated for each event.
-- Durations are microseconds; DATEADD takes an INT, so they are added in two steps. READPAST skips locked rows; READCOMMITTEDLOCK allows it where the
-- database reads committed snapshots. What looks for due rows names its index, whatever the statistics say.

-- name: columns
SELECT name AS column_name FROM sys.columns WHERE object_id = OBJECT_ID(:table)

-- name: installed_version
SELECT MAX(version) AS version FROM {table}_schema

-- name: insert
INSERT INTO {table} (
  event_id, event_type, aggregate_type, aggregate_id, tenant_id, idempotency_key, correlation_id,
  payload_text, payload_bytes, headers, occurred_at, due_at, expires_at,
  status, attempts, owner_token, available_at, created_at)
SELECT
  :event_id, :event_type, :aggregate_type, :aggregate_id, :tenant_id, :idempotency_key,
  :correlation_id,
  :payload_text, :payload_bytes, :headers, :occurred_at, :due_at, :expires_at,
  0, 0, :owner, CASE WHEN gate.not_before > gate.lease_end THEN gate.not_before
                     ELSE gate.lease_end END, {now}
FROM (
  SELECT CAST(:not_before AS DATETIME2(6)) AS not_before,
    DATEADD(MICROSECOND, CAST(:lease % 1000000 AS INT),
      DATEADD(SECOND, CAST(:lease / 1000000 AS INT), {now})) AS lease_end
) AS gate

-- name: insert_all
INSERT INTO {table} (
  event_id, event_type, aggregate_type, aggregate_id, tenant_id, idempotency_key, correlation_id,
  payload_text, payload_bytes, headers, occurred_at, due_at, expires_at,
  status, attempts, owner_token, available_at, created_at)
VALUES
  {rows}(:event_id, :event_type, :aggregate_type, :aggregate_id, :tenant_id, :idempotency_key,
   :correlation_id,
   :payload_text, :payload_bytes, :headers, :occurred_at, :due_at, :expires_at,
   0, 0, :owner, CASE WHEN CAST(:not_before AS DATETIME2(6)) > {now} THEN CAST(:not_before AS DATETIME2(6))
     ELSE DATEADD(MICROSECOND, CAST(:lease % 1000000 AS INT),
     DATEADD(SECOND, CAST(:lease / 1000000 AS INT), {now})) END, {now}){/rows}

-- name: insert_once
-- HOLDLOCK keeps the key's place until the transaction ends: no other transaction inserts it meanwhile.
INSERT INTO {table} (
  event_id, event_type, aggregate_type, aggregate_id, tenant_id, idempotency_key, correlation_id,
  payload_text, payload_bytes, headers, occurred_at, due_at, expires_at,
  status, attempts, owner_token, available_at, created_at)
SELECT
  :event_id, :event_type, :aggregate_type, :aggregate_id, :tenant_id, :idempotency_key,
  :correlation_id,
  :payload_text, :payload_bytes, :headers, :occurred_at, :due_at, :expires_at,
  0, 0, :owner, CASE WHEN gate.not_before > gate.lease_end THEN gate.not_before
                     ELSE gate.lease_end END, {now}
FROM (
  SELECT CAST(:not_before AS DATETIME2(6)) AS not_before,
    DATEADD(MICROSECOND, CAST(:lease % 1000000 AS INT),
      DATEADD(SECOND, CAST(:lease / 1000000 AS INT), {now})) AS lease_end
) AS gate
WHERE NOT EXISTS (
  SELECT 1 FROM {table} WITH (UPDLOCK, HOLDLOCK, ROWLOCK)
  WHERE key_tenant = COALESCE(:tenant_id, N'')
    AND key_given IN (N'k' + :idempotency_key, N'e' + :idempotency_key))

-- name: insert_all_once
INSERT INTO {table} (
  event_id, event_type, aggregate_type, aggregate_id, tenant_id, idempotency_key, correlation_id,
  payload_text, payload_bytes, headers, occurred_at, due_at, expires_at,
  status, attempts, owner_token, available_at, created_at)
OUTPUT inserted.event_id
SELECT
  event.event_id, event.event_type, event.aggregate_type, event.aggregate_id, event.tenant_id,
  event.idempotency_key, event.correlation_id, event.payload_text,
  CAST(event.payload_bytes AS VARBINARY(MAX)), event.headers,
  CAST(event.occurred_at AS DATETIME2(6)), CAST(event.due_at AS DATETIME2(6)),
  CAST(event.expires_at AS DATETIME2(6)),
  0, 0, event.owner,
  CASE WHEN CAST(event.not_before AS DATETIME2(6)) > {now} THEN CAST(event.not_before AS DATETIME2(6))
       ELSE DATEADD(MICROSECOND, CAST(event.lease % 1000000 AS INT),
         DATEADD(SECOND, CAST(event.lease / 1000000 AS INT), {now})) END, {now}
FROM (VALUES
  {rows}(:event_id, :event_type, :aggregate_type, :aggregate_id, :tenant_id, :idempotency_key,
   :correlation_id,
   :payload_text, :payload_bytes, :headers, :occurred_at, :due_at, :expires_at,
   :owner, :lease, :not_before){/rows}
) AS event (
  event_id, event_type, aggregate_type, aggregate_id, tenant_id, idempotency_key, correlation_id,
  payload_text, payload_bytes, headers, occurred_at, due_at, expires_at, owner, lease, not_before)
WHERE NOT EXISTS (
  SELECT 1 FROM {table} AS first WITH (UPDLOCK, HOLDLOCK, ROWLOCK)
  WHERE first.key_tenant = COALESCE(event.tenant_id, N'')
    AND first.key_given IN (N'k' + event.idempotency_key, N'e' + event.idempotency_key))

-- name: find_keys
SELECT event.event_id, wanted.given_key
FROM (VALUES {rows}(:key){/rows}) AS wanted (given_key)
  INNER JOIN {table} AS event
    ON event.key_tenant = :tenant
      AND event.key_given IN (N'k' + wanted.given_key, N'e' + wanted.given_key)

-- name: mark_done
UPDATE {table}
SET status = 1, done_at = {now}, processed_by = owner_token, owner_token = NULL,
    last_error = NULL, listeners = NULL, started = 0
WHERE event_id = :id AND status <> 1

-- name: mark_done_delete
DELETE FROM {table}
WHERE event_id = :id AND status <> 1
  AND (idempotency_key = event_id OR idempotency_key IS NULL)

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
SELECT TOP (:limit)
       event_id, event_type, aggregate_type, aggregate_id, tenant_id, idempotency_key,
       correlation_id, payload_text, payload_bytes, headers, attempts, ordering_key, occurred_at, due_at, expires_at, created_at
FROM {table}
WHERE status IN (0, 2) AND available_at <= :at AND created_at <= :created_before
ORDER BY created_at, event_id

-- name: any_due
SELECT TOP (1) 1 AS due
FROM {table} WITH (INDEX (idx_claim), READPAST, ROWLOCK, READCOMMITTEDLOCK)
WHERE status IN (0, 2) AND available_at <= {now}
ORDER BY available_at, event_id

-- name: inspect
SELECT event_id, status, owner_token, processed_by, attempts FROM {table} WHERE event_id IN (:ids...)

-- name: version1_payload
SELECT event_id, payload FROM {table} WHERE event_id IN (:ids...) AND payload IS NOT NULL

-- name: claim
WITH due AS (
  SELECT TOP (:limit) event_id, available_at,
         COALESCE(DATALENGTH(payload_text), DATALENGTH(payload_bytes), 0) AS bytes
  FROM {table} WITH (INDEX (idx_claim), UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK)
  WHERE status IN (0, 2)
    AND available_at <= {now}
    AND available_at > CASE WHEN CAST(:after AS DATETIME2(6)) <= {now}
                            THEN CAST(:after AS DATETIME2(6))
                            ELSE CAST('0001-01-01' AS DATETIME2(6)) END
    AND (occurred_at IS NOT NULL OR created_at <= DATEADD(MICROSECOND, -CAST(:skip_recent % 1000000 AS INT),
      DATEADD(SECOND, -CAST(:skip_recent / 1000000 AS INT), {now})))
  ORDER BY available_at, event_id
), summed AS (
  SELECT event_id,
         SUM(bytes) OVER (ORDER BY available_at, event_id
                          ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_before
  FROM due
)
UPDATE event
SET lease_expiries = lease_expiries
      + CASE WHEN owner_token IS NOT NULL AND started = 2 THEN 1 ELSE 0 END,
    started = CASE WHEN owner_token IS NOT NULL OR started > 0 THEN 1 ELSE 0 END,
    owner_token = :owner,
    available_at = DATEADD(MICROSECOND, CAST(:lease % 1000000 AS INT),
      DATEADD(SECOND, CAST(:lease / 1000000 AS INT), {now}))
OUTPUT inserted.event_id, inserted.event_type, inserted.aggregate_type, inserted.aggregate_id,
       inserted.tenant_id, inserted.idempotency_key, inserted.correlation_id,
       inserted.payload_text, inserted.payload_bytes,
       inserted.headers, inserted.attempts, inserted.ordering_key, inserted.occurred_at, inserted.due_at,
       inserted.expires_at, inserted.created_at, inserted.started, inserted.lease_expiries,
       inserted.last_error, inserted.listeners, inserted.available_at,
       CASE WHEN inserted.expires_at <= {now} THEN 1 ELSE 0 END AS expired,
       deleted.available_at AS watermark
FROM {table} AS event WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK)
  INNER JOIN summed ON summed.event_id = event.event_id
WHERE COALESCE(summed.bytes_before, 0) < :max_bytes

-- name: claim_by_id
UPDATE {table} WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK)
SET lease_expiries = lease_expiries
      + CASE WHEN owner_token IS NOT NULL AND started = 2 THEN 1 ELSE 0 END,
    started = CASE WHEN owner_token IS NOT NULL OR started > 0 THEN 1 ELSE 0 END,
    owner_token = :owner,
    available_at = DATEADD(MICROSECOND, CAST(:lease % 1000000 AS INT),
      DATEADD(SECOND, CAST(:lease / 1000000 AS INT), {now}))
OUTPUT inserted.event_id, inserted.event_type, inserted.aggregate_type, inserted.aggregate_id,
       inserted.tenant_id, inserted.idempotency_key, inserted.correlation_id,
       inserted.payload_text, inserted.payload_bytes,
       inserted.headers, inserted.attempts, inserted.ordering_key, inserted.occurred_at, inserted.due_at,
       inserted.expires_at, inserted.created_at, inserted.started, inserted.lease_expiries,
       inserted.last_error, inserted.listeners, inserted.available_at,
       CASE WHEN inserted.expires_at <= {now} THEN 1 ELSE 0 END AS expired
WHERE event_id IN (:ids...) AND status IN (0, 2)
  AND (owner_token IS NULL OR available_at <= {now})

-- name: ack
UPDATE {table} WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK)
SET status = 1, done_at = {now}, processed_by = owner_token, owner_token = NULL,
    last_error = NULL, listeners = NULL, started = 0
OUTPUT inserted.event_id
WHERE event_id IN (:ids...) AND owner_token = :owner AND status IN (0, 2)

-- name: ack_delete
DELETE event
OUTPUT deleted.event_id
FROM {table} AS event WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK)
WHERE event.event_id IN (:ids...) AND event.owner_token = :owner AND event.status IN (0, 2)
  AND (event.idempotency_key = event.event_id OR event.idempotency_key IS NULL)

-- name: ack_keyed
UPDATE {table} WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK)
SET status = 1, done_at = {now}, processed_by = owner_token, owner_token = NULL,
    last_error = NULL, listeners = NULL, started = 0
OUTPUT inserted.event_id
WHERE event_id IN (:ids...) AND owner_token = :owner AND status IN (0, 2)
  AND idempotency_key <> event_id

-- name: abandon
UPDATE event
SET status = 2, attempts = attempts + 1, last_error = COALESCE(:error, last_error),
    listeners = COALESCE(:listeners, listeners),
    available_at = CASE WHEN due_at > gate.delay_end THEN due_at ELSE gate.delay_end END,
    owner_token = NULL, started = 0
FROM {table} AS event WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK)
  CROSS JOIN (
    SELECT DATEADD(MICROSECOND, CAST(:delay % 1000000 AS INT),
      DATEADD(SECOND, CAST(:delay / 1000000 AS INT), {now})) AS delay_end
  ) AS gate
WHERE event.event_id = :id AND event.owner_token = :owner AND event.status IN (0, 2)

-- name: defer
UPDATE event
SET available_at = CASE WHEN due_at > gate.delay_end THEN due_at ELSE gate.delay_end END,
    owner_token = NULL, started = CASE WHEN started = 1 THEN 1 ELSE 0 END,
    listeners = COALESCE(:listeners, listeners)
OUTPUT inserted.event_id
FROM {table} AS event WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK)
  CROSS JOIN (
    SELECT DATEADD(MICROSECOND, CAST(:delay % 1000000 AS INT),
      DATEADD(SECOND, CAST(:delay / 1000000 AS INT), {now})) AS delay_end
  ) AS gate
WHERE event.event_id IN (:ids...) AND event.owner_token = :owner AND event.status IN (0, 2)

-- name: fail
UPDATE {table} WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK)
SET status = 3, attempts = attempts + 1, available_at = {now}, last_error = :error,
    listeners = COALESCE(:listeners, listeners), owner_token = NULL, started = 0
WHERE event_id = :id AND owner_token = :owner AND status IN (0, 2)

-- name: renew
UPDATE {table} WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK)
SET available_at = DATEADD(MICROSECOND, CAST(:lease % 1000000 AS INT),
      DATEADD(SECOND, CAST(:lease / 1000000 AS INT), {now}))
OUTPUT inserted.event_id
WHERE event_id IN (:ids...) AND owner_token = :owner AND status IN (0, 2)

-- name: mark_started
UPDATE {table} WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK)
SET started = 2,
    available_at = DATEADD(MICROSECOND, CAST(:lease % 1000000 AS INT),
      DATEADD(SECOND, CAST(:lease / 1000000 AS INT), {now}))
OUTPUT inserted.event_id
WHERE event_id IN (:ids...) AND owner_token = :owner AND status IN (0, 2)

-- name: reap
WITH oldest AS (
  SELECT TOP (:window) event_id, owner_token
  FROM {table} WITH (INDEX (idx_claim), READPAST, READCOMMITTEDLOCK)
  WHERE status IN (0, 2)
    AND available_at < DATEADD(MICROSECOND, -CAST(:grace % 1000000 AS INT),
      DATEADD(SECOND, -CAST(:grace / 1000000 AS INT), {now}))
  ORDER BY available_at, event_id
), expired AS (
  SELECT TOP (:limit) event.event_id, event.owner_token, event.started, event.lease_expiries
  FROM {table} AS event WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK)
    INNER JOIN oldest ON oldest.event_id = event.event_id
  WHERE oldest.owner_token IS NOT NULL AND event.owner_token IS NOT NULL
    AND event.status NOT IN (1, 3)
    AND event.available_at < DATEADD(MICROSECOND, -CAST(:grace % 1000000 AS INT),
      DATEADD(SECOND, -CAST(:grace / 1000000 AS INT), {now}))
)
UPDATE expired
SET lease_expiries = lease_expiries + CASE WHEN started = 2 THEN 1 ELSE 0 END,
    started = 1,
    owner_token = NULL

-- name: now
SELECT {now} AS now

-- name: dead_letters
SELECT TOP (:limit)
       event_id, event_type, aggregate_type, aggregate_id, tenant_id, correlation_id,
       idempotency_key, CAST(NULL AS NVARCHAR(MAX)) AS payload_text, CAST(NULL AS VARBINARY(MAX)) AS payload_bytes, headers, attempts, ordering_key,
       occurred_at, due_at, expires_at, created_at, available_at, last_error, listeners, replays,
       replayed_at, replayed_by
FROM {table}
WHERE status = 3
  AND created_at <= COALESCE(CAST(:after_at AS DATETIME2(6)), CAST('9999-12-31' AS DATETIME2(6)))
  AND (CAST(:after_at AS DATETIME2(6)) IS NULL OR created_at < CAST(:after_at AS DATETIME2(6)) OR event_id < :after_id)
  AND (CAST(:topic AS NVARCHAR(4000)) IS NULL OR event_type = :topic)
  AND (CAST(:tenant_id AS NVARCHAR(4000)) IS NULL OR tenant_id = :tenant_id)
  AND CAST(:source AS NVARCHAR(4000)) IS NULL
  AND (CAST(:correlation_id AS NVARCHAR(4000)) IS NULL OR correlation_id = :correlation_id)
  AND (CAST(:error AS NVARCHAR(4000)) IS NULL OR CHARINDEX(:error, last_error) > 0)
  AND (CAST(:died_from AS DATETIME2(6)) IS NULL OR available_at >= CAST(:died_from AS DATETIME2(6)))
  AND (CAST(:died_before AS DATETIME2(6)) IS NULL OR available_at < CAST(:died_before AS DATETIME2(6)))
ORDER BY created_at DESC, event_id DESC

-- name: dead_letter
SELECT event_id, event_type, aggregate_type, aggregate_id, tenant_id, correlation_id,
       idempotency_key, payload_text, payload_bytes, headers, attempts, ordering_key,
       occurred_at, due_at, expires_at, created_at, available_at, last_error, listeners, replays,
       replayed_at, replayed_by
FROM {table}
WHERE event_id = :id AND status = 3

-- name: count_dead
SELECT COUNT(*) AS looked_at,
  COUNT(CASE WHEN (CAST(:topic AS NVARCHAR(4000)) IS NULL OR event_type = :topic)
    AND (CAST(:tenant_id AS NVARCHAR(4000)) IS NULL OR tenant_id = :tenant_id)
    AND CAST(:source AS NVARCHAR(4000)) IS NULL
    AND (CAST(:correlation_id AS NVARCHAR(4000)) IS NULL OR correlation_id = :correlation_id)
    AND (CAST(:error AS NVARCHAR(4000)) IS NULL OR CHARINDEX(:error, last_error) > 0)
    AND (CAST(:died_from AS DATETIME2(6)) IS NULL OR available_at >= CAST(:died_from AS DATETIME2(6)))
    AND (CAST(:died_before AS DATETIME2(6)) IS NULL OR available_at < CAST(:died_before AS DATETIME2(6))) THEN 1 END) AS found
FROM (
  SELECT TOP (:window) * FROM {table}
  WHERE status = 3
  ORDER BY created_at DESC, event_id DESC
) AS newest

-- name: replay
UPDATE {table} WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK)
SET status = 0, attempts = 0, lease_expiries = 0, started = 0, owner_token = NULL,
    available_at = CASE WHEN due_at > {now} THEN due_at ELSE {now} END,
    due_at = CASE WHEN due_at > {now} THEN due_at ELSE {now} END,
    expires_at = CASE WHEN expires_at <= {now} THEN NULL ELSE expires_at END,
    listeners = CASE WHEN :failed_only = 1 THEN REPLACE(listeners, ':"dead', ':"failed') END,
    replays = replays + 1, replayed_at = {now}, replayed_by = :by
OUTPUT inserted.event_id
WHERE event_id IN (:ids...) AND status = 3
  AND (CAST(:died_before AS DATETIME2(6)) IS NULL
       OR available_at < CAST(:died_before AS DATETIME2(6)))

-- name: discard
UPDATE {table} WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK)
SET status = 1, done_at = {now}, processed_by = :by, owner_token = NULL, last_error = :error
OUTPUT inserted.event_id
WHERE event_id IN (:ids...) AND status = 3
  AND (CAST(:died_before AS DATETIME2(6)) IS NULL
       OR available_at < CAST(:died_before AS DATETIME2(6)))

-- name: backlog
SELECT COUNT(*) AS due
FROM (
  SELECT TOP (:limit) event_id FROM {table} WITH (INDEX (idx_claim))
  WHERE status IN (0, 2) AND available_at <= {now}
  ORDER BY available_at, event_id
) AS waiting

-- name: purge_payloads
UPDATE TOP (:limit) {table} WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK)
SET payload_text = NULL, payload_bytes = NULL, kept = 0
WHERE status = 1 AND kept = 1 AND done_at < DATEADD(MICROSECOND, -CAST(:age % 1000000 AS INT),
    DATEADD(SECOND, -CAST(:age / 1000000 AS INT), {now}))

-- name: purge_payloads_beside
-- As long as version 1's column is there, the payload is in it too.
UPDATE TOP (:limit) {table} WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK)
SET payload_text = NULL, payload_bytes = NULL, payload = NULL, kept = 0
WHERE status = 1 AND kept = 1 AND done_at < DATEADD(MICROSECOND, -CAST(:age % 1000000 AS INT),
    DATEADD(SECOND, -CAST(:age / 1000000 AS INT), {now}))

-- name: purge_done
DELETE TOP (:limit) event
FROM {table} AS event WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK)
WHERE status = 1 AND kept IN (0, 1) AND done_at < DATEADD(MICROSECOND, -CAST(:age % 1000000 AS INT),
    DATEADD(SECOND, -CAST(:age / 1000000 AS INT), {now}))

-- name: purge_dead
DELETE TOP (:limit) event
FROM {table} AS event WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK)
WHERE status = 3 AND available_at < DATEADD(MICROSECOND, -CAST(:age % 1000000 AS INT),
    DATEADD(SECOND, -CAST(:age / 1000000 AS INT), {now}))
