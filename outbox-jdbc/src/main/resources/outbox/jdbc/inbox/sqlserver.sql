-- What the inbox says on SQL Server beside, or instead of, the statements of the outbox. HOLDLOCK keeps
-- two nodes from inserting the same key. A MERGE must end with a semicolon; one of the two that stand
-- here goes when this file is read. Comparisons ignore blanks at the end; DATALENGTH does not.

-- name: receive
-- A message that is new was not seen again. Of a known one, its status and, if there is one to compare, its
-- payload.
MERGE INTO {table} WITH (HOLDLOCK) AS inbox
USING (SELECT :source AS source, :message_id AS message_id, CAST(:due_at AS DATETIME2(6)) AS due_at,
  {if owner}DATEADD(MICROSECOND, CAST(:lease % 1000000 AS INT),
    DATEADD(SECOND, CAST(:lease / 1000000 AS INT), {/if}{now}{if owner})){/if} AS free_at) AS given
ON inbox.source = given.source AND inbox.message_id = given.message_id
WHEN MATCHED THEN UPDATE SET seen_again_at = {now}
WHEN NOT MATCHED THEN INSERT (
  event_id, source, message_id, topic, payload, headers, hash, status, available_at, due_at,
  first_seen_at{if owner}, owner_token{/if})
VALUES (
  :event_id, given.source, given.message_id, :topic, :payload, :headers, :hash, 0,
  CASE WHEN given.due_at > given.free_at THEN given.due_at ELSE given.free_at END, given.due_at,
  {now}{if owner}, :owner{/if})
OUTPUT
  CASE WHEN inserted.seen_again_at IS NOT NULL
       THEN CONCAT(inserted.status,
              {if hash}CASE WHEN inserted.hash IS NULL THEN {/if}' ' + inserted.payload{if hash} END{/if})
  END AS known_as{if hash}, inserted.hash{/if};;

-- name: receive_all
-- As receive, for keys that differ and come in order: concurrent calls take their locks in the same order.
MERGE INTO {table} WITH (HOLDLOCK) AS inbox
USING (
  SELECT
    sent.event_id, sent.source, sent.message_id, sent.topic, CAST(sent.payload AS NVARCHAR(MAX)) AS payload,
    CAST(sent.headers AS NVARCHAR(MAX)) AS headers, CAST(sent.hash AS VARBINARY(1024)) AS hash,
    CAST(sent.due_at AS DATETIME2(6)) AS due_at,
    DATEADD(MICROSECOND, CAST(:lease % 1000000 AS INT),
      DATEADD(SECOND, CAST(:lease / 1000000 AS INT), {now})) AS free_at
  FROM (VALUES
    {rows}(:event_id, :source, :message_id, :topic, :payload, :headers, :hash, :due_at){/rows}
  ) AS sent (event_id, source, message_id, topic, payload, headers, hash, due_at)
) AS given
ON inbox.source = given.source AND inbox.message_id = given.message_id
WHEN MATCHED THEN UPDATE SET seen_again_at = {now}
WHEN NOT MATCHED THEN INSERT (
  event_id, source, message_id, topic, payload, headers, hash, status, available_at, due_at,
  first_seen_at, owner_token)
VALUES (
  given.event_id, given.source, given.message_id, given.topic, given.payload, given.headers, given.hash, 0,
  CASE WHEN given.due_at > given.free_at THEN given.due_at ELSE given.free_at END, given.due_at,
  {now}, :owner)
OUTPUT
  inserted.source, inserted.message_id,
  CASE WHEN inserted.seen_again_at IS NOT NULL
       THEN CONCAT(inserted.status,
              {if hashed}CASE WHEN inserted.hash IS NULL THEN {/if}' ' + inserted.payload{if hashed} END{/if})
  END AS known_as, inserted.hash;;

-- name: fill
UPDATE {table}
SET topic = :topic, payload = :payload, headers = :headers, hash = CAST(:hash AS VARBINARY(1024)),
    status = 0, due_at = gate.due_at,
    available_at = CASE WHEN gate.due_at > {now} THEN gate.due_at ELSE {now} END,
    seen_again_at = {now}
FROM {table} AS event
  CROSS JOIN (SELECT CAST(:due_at AS DATETIME2(6)) AS due_at) AS gate
WHERE event.source = :source AND event.message_id = :message_id AND event.status IN (4, 5)

-- name: enqueue
-- A lease on content that is replaced goes to a token without an owner: it ends when it would have ended,
-- but not before the new due time.
-- The count of expired leases belongs to the old content, so it starts again at 0.
MERGE INTO {table} WITH (HOLDLOCK) AS inbox
USING (
  SELECT :event_id AS event_id, :source AS source, :message_id AS message_id, :topic AS topic,
         CAST(:payload AS NVARCHAR(MAX)) AS payload,
         CAST(:headers AS NVARCHAR(MAX)) AS headers, CAST(:hash AS VARBINARY(1024)) AS hash,
         CAST(:due_at AS DATETIME2(6)) AS due_at) AS given
ON inbox.source = given.source AND inbox.message_id = given.message_id
WHEN MATCHED THEN UPDATE
SET seen_again_at = {now},
    topic = CASE WHEN inbox.status = 1 THEN inbox.topic ELSE given.topic END,
    payload = CASE WHEN inbox.status = 1 THEN inbox.payload ELSE given.payload END,
    headers = CASE WHEN inbox.status = 1 THEN inbox.headers ELSE given.headers END,
    hash = CASE WHEN inbox.status = 1 THEN inbox.hash ELSE given.hash END,
    due_at = CASE WHEN inbox.status = 1 THEN inbox.due_at ELSE given.due_at END,
    content_version = inbox.content_version
      + CASE WHEN inbox.status IN (1, 4, 5)
               OR (inbox.topic = given.topic AND inbox.payload = given.payload
                   AND DATALENGTH(inbox.topic) = DATALENGTH(given.topic)
                   AND DATALENGTH(inbox.payload) = DATALENGTH(given.payload)) THEN 0 ELSE 1 END,
    owner_token = CASE WHEN inbox.owner_token IS NULL
                         OR (inbox.topic = given.topic AND inbox.payload = given.payload
                             AND DATALENGTH(inbox.topic) = DATALENGTH(given.topic)
                             AND DATALENGTH(inbox.payload) = DATALENGTH(given.payload))
                       THEN inbox.owner_token ELSE given.event_id END,
    started = CASE WHEN inbox.status = 1
                     OR (inbox.topic = given.topic AND inbox.payload = given.payload
                         AND DATALENGTH(inbox.topic) = DATALENGTH(given.topic)
                         AND DATALENGTH(inbox.payload) = DATALENGTH(given.payload))
                   THEN inbox.started ELSE 0 END,
    lease_expiries = CASE WHEN inbox.status = 1
                            OR (inbox.topic = given.topic AND inbox.payload = given.payload
                                AND DATALENGTH(inbox.topic) = DATALENGTH(given.topic)
                                AND DATALENGTH(inbox.payload) = DATALENGTH(given.payload))
                          THEN inbox.lease_expiries ELSE 0 END,
    available_at = CASE
      WHEN inbox.status IN (4, 5)
        THEN CASE WHEN given.due_at > {now} THEN given.due_at ELSE {now} END
      WHEN inbox.status IN (1, 3) OR inbox.due_at = given.due_at
        OR (inbox.due_at IS NULL AND given.due_at IS NULL) THEN inbox.available_at
      WHEN given.due_at > inbox.available_at THEN given.due_at
      WHEN inbox.owner_token IS NOT NULL OR inbox.attempts > 0 OR inbox.available_at <= {now}
        THEN inbox.available_at
      WHEN given.due_at > {now} THEN given.due_at
      ELSE {now} END,
    status = CASE WHEN inbox.status IN (4, 5) THEN 0 ELSE inbox.status END
WHEN NOT MATCHED THEN INSERT (
  event_id, source, message_id, topic, payload, headers, hash, status, available_at, due_at,
  first_seen_at)
VALUES (
  given.event_id, given.source, given.message_id, given.topic, given.payload, given.headers, given.hash, 0,
  CASE WHEN given.due_at > {now} THEN given.due_at ELSE {now} END, given.due_at, {now})
OUTPUT inserted.status, deleted.hash AS previous_hash;;

-- name: see
MERGE INTO {table} WITH (HOLDLOCK) AS inbox
USING (SELECT :source AS source, :message_id AS message_id, CAST(:hash AS VARBINARY(1024)) AS hash) AS given
ON inbox.source = given.source AND inbox.message_id = given.message_id
WHEN MATCHED THEN UPDATE SET seen_again_at = {now}, hash = COALESCE(inbox.hash, given.hash)
WHEN NOT MATCHED THEN INSERT (
  event_id, source, message_id, hash, status, available_at, first_seen_at)
VALUES (:event_id, given.source, given.message_id, given.hash, 4, {now}, {now})
OUTPUT inserted.status, inserted.hash;;

-- name: mark_processing
UPDATE {table} SET status = 5
WHERE source = :source AND message_id = :message_id AND status = 4

-- name: mark_processed
UPDATE {table}
SET status = 1, done_at = {now}, processed_by = owner_token, owner_token = NULL, last_error = NULL,
    started = 0
WHERE source = :source AND message_id = :message_id AND status NOT IN (1, 3)

-- name: mark_dead
UPDATE {table} SET status = 3, available_at = {now}, owner_token = NULL, started = 0
WHERE source = :source AND message_id = :message_id AND status NOT IN (1, 3)

-- name: get
SELECT source, message_id, status, topic, payload, headers, hash, attempts, content_version, first_seen_at,
       seen_again_at, due_at, last_error
FROM {table}
WHERE source = :source AND message_id = :message_id

-- name: find_ids
SELECT source, message_id, event_id FROM {table}
WHERE source IN (:sources...) AND message_id IN (:message_ids...)

-- name: pinned
SELECT source, message_id, event_id FROM {table}
WHERE source IN (:sources...) AND message_id IN (:message_ids...)
  AND owner_token = :pinned AND content_version = :content_version AND status IN (0, 2)

-- name: pin
UPDATE {table} SET owner_token = :pinned
WHERE source = :source AND message_id = :message_id AND content_version = :content_version
  AND owner_token IN (:owner, :pinned) AND status IN (0, 2)

-- name: claim
WITH due AS (
  SELECT TOP (:limit) event_id, available_at, COALESCE(DATALENGTH(payload), 0) AS bytes
  FROM {table} WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK)
  WHERE status IN (0, 2)
    AND available_at <= {now}
    AND available_at > CASE WHEN CAST(:after AS DATETIME2(6)) <= {now}
                            THEN CAST(:after AS DATETIME2(6))
                            ELSE CAST('0001-01-01' AS DATETIME2(6)) END
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
OUTPUT inserted.event_id, inserted.source, inserted.message_id, inserted.topic,
       inserted.payload, inserted.headers, inserted.hash, inserted.attempts, inserted.content_version,
       inserted.first_seen_at, inserted.seen_again_at, inserted.due_at, inserted.last_error, inserted.listeners,
       inserted.started, inserted.lease_expiries, inserted.available_at, 0 AS expired,
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
OUTPUT inserted.event_id, inserted.source, inserted.message_id, inserted.topic,
       inserted.payload, inserted.headers, inserted.hash, inserted.attempts, inserted.content_version,
       inserted.first_seen_at, inserted.seen_again_at, inserted.due_at, inserted.last_error, inserted.listeners,
       inserted.started, inserted.lease_expiries, inserted.available_at, 0 AS expired
WHERE event_id IN (:ids...) AND status IN (0, 2)
  AND (owner_token IS NULL OR available_at <= {now})

-- name: dead_letters
SELECT TOP (:limit)
       event_id, source, message_id, topic, CAST(NULL AS NVARCHAR(MAX)) AS payload, headers, hash, attempts,
       content_version, first_seen_at, seen_again_at, due_at, available_at, last_error, listeners, replays,
       replayed_at, replayed_by
FROM {table}
WHERE status = 3
  AND first_seen_at <= COALESCE(CAST(:after_at AS DATETIME2(6)), CAST('9999-12-31' AS DATETIME2(6)))
  AND (CAST(:after_at AS DATETIME2(6)) IS NULL OR first_seen_at < CAST(:after_at AS DATETIME2(6)) OR event_id < :after_id)
  AND (CAST(:topic AS NVARCHAR(4000)) IS NULL OR topic = :topic)
  AND CAST(:tenant_id AS NVARCHAR(4000)) IS NULL
  AND (CAST(:source AS NVARCHAR(4000)) IS NULL OR source = :source)
  AND CAST(:correlation_id AS NVARCHAR(4000)) IS NULL
  AND (CAST(:error AS NVARCHAR(4000)) IS NULL OR CHARINDEX(:error, last_error) > 0)
  AND (CAST(:died_from AS DATETIME2(6)) IS NULL OR available_at >= CAST(:died_from AS DATETIME2(6)))
  AND (CAST(:died_before AS DATETIME2(6)) IS NULL OR available_at < CAST(:died_before AS DATETIME2(6)))
ORDER BY first_seen_at DESC, event_id DESC

-- name: dead_letter
SELECT event_id, source, message_id, topic, payload, headers, hash, attempts,
       content_version, first_seen_at, seen_again_at, due_at, available_at, last_error, listeners, replays,
       replayed_at, replayed_by
FROM {table}
WHERE event_id = :id AND status = 3

-- name: count_dead
SELECT COUNT(*) AS looked_at,
  COUNT(CASE WHEN (CAST(:topic AS NVARCHAR(4000)) IS NULL OR topic = :topic)
    AND CAST(:tenant_id AS NVARCHAR(4000)) IS NULL
    AND (CAST(:source AS NVARCHAR(4000)) IS NULL OR source = :source)
    AND CAST(:correlation_id AS NVARCHAR(4000)) IS NULL
    AND (CAST(:error AS NVARCHAR(4000)) IS NULL OR CHARINDEX(:error, last_error) > 0)
    AND (CAST(:died_from AS DATETIME2(6)) IS NULL OR available_at >= CAST(:died_from AS DATETIME2(6)))
    AND (CAST(:died_before AS DATETIME2(6)) IS NULL OR available_at < CAST(:died_before AS DATETIME2(6))) THEN 1 END) AS found
FROM (
  SELECT TOP (:window) * FROM {table}
  WHERE status = 3
  ORDER BY first_seen_at DESC, event_id DESC
) AS newest

-- name: replay
UPDATE {table} WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK)
SET status = CASE WHEN topic IS NULL THEN 4 ELSE 0 END, attempts = 0, lease_expiries = 0, started = 0,
    available_at = CASE WHEN due_at > {now} THEN due_at ELSE {now} END,
    due_at = CASE WHEN due_at > {now} THEN due_at ELSE {now} END,
    replays = replays + 1, replayed_at = {now}, replayed_by = :by
OUTPUT inserted.event_id
WHERE event_id IN (:ids...) AND status = 3
  AND (CAST(:died_before AS DATETIME2(6)) IS NULL
       OR available_at < CAST(:died_before AS DATETIME2(6)))

-- name: purge_payloads
UPDATE TOP (:limit) {table} WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK)
SET payload = NULL, kept = 0
WHERE status = 1 AND kept = 1 AND done_at < DATEADD(MICROSECOND, -CAST(:age % 1000000 AS INT),
    DATEADD(SECOND, -CAST(:age / 1000000 AS INT), {now}))

-- name: purge_done
DELETE TOP (:limit) event
FROM {table} AS event WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK)
WHERE status = 1 AND kept IN (0, 1) AND done_at < DATEADD(MICROSECOND, -CAST(:age % 1000000 AS INT),
    DATEADD(SECOND, -CAST(:age / 1000000 AS INT), {now}))
  AND COALESCE(seen_again_at, first_seen_at) < DATEADD(MICROSECOND, -CAST(:age % 1000000 AS INT),
    DATEADD(SECOND, -CAST(:age / 1000000 AS INT), {now}))

-- name: purge_dead
DELETE TOP (:limit) event
FROM {table} AS event WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK)
WHERE status = 3 AND available_at < DATEADD(MICROSECOND, -CAST(:age % 1000000 AS INT),
    DATEADD(SECOND, -CAST(:age / 1000000 AS INT), {now}))
  AND COALESCE(seen_again_at, first_seen_at) < DATEADD(MICROSECOND, -CAST(:age % 1000000 AS INT),
    DATEADD(SECOND, -CAST(:age / 1000000 AS INT), {now}))
