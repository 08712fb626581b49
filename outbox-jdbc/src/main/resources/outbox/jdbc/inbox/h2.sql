-- What the inbox says on H2 beside, or instead of, the statements of the outbox.

-- name: receive
MERGE INTO {table} AS inbox
USING (SELECT CAST(:source AS VARCHAR) AS source, CAST(:message_id AS VARCHAR) AS message_id) AS given
ON inbox.source = given.source AND inbox.message_id = given.message_id
WHEN MATCHED THEN UPDATE SET seen_again_at = {now}
WHEN NOT MATCHED THEN INSERT (
  event_id, source, message_id, topic, payload, headers, hash, status, available_at, due_at,
  first_seen_at{if owner}, owner_token{/if})
VALUES (
  :event_id, given.source, given.message_id, :topic, :payload, :headers, :hash, 0,
  GREATEST({if owner}DATEADD(MICROSECOND, :lease, {/if}{now}{if owner}){/if},
           COALESCE(CAST(:due_at AS TIMESTAMP(6) WITH TIME ZONE), {now})),
  :due_at, {now}{if owner}, :owner{/if})

-- name: received
-- A message that is new was not seen again. Of a known one, its status and, if there is one to compare, its
-- payload.
SELECT CASE WHEN seen_again_at IS NOT NULL
            THEN CONCAT_WS(' ', status, {if hash}CASE WHEN hash IS NULL THEN {/if}payload{if hash} END{/if})
       END AS known_as{if hash}, hash{/if}
FROM {table}
WHERE source = :source AND message_id = :message_id

-- name: receive_all
-- As receive, for keys that differ and come in order: concurrent calls take their locks in the same order.
MERGE INTO {table} AS inbox
USING (VALUES
  {rows}(CAST(:event_id AS VARCHAR), CAST(:source AS VARCHAR), CAST(:message_id AS VARCHAR),
   CAST(:topic AS VARCHAR), CAST(:payload AS CHARACTER LARGE OBJECT),
   CAST(:headers AS CHARACTER LARGE OBJECT), CAST(:hash AS VARBINARY(1024)),
   CAST(:due_at AS TIMESTAMP(6) WITH TIME ZONE)){/rows}
) AS given (event_id, source, message_id, topic, payload, headers, hash, due_at)
ON inbox.source = given.source AND inbox.message_id = given.message_id
WHEN MATCHED THEN UPDATE SET seen_again_at = {now}
WHEN NOT MATCHED THEN INSERT (
  event_id, source, message_id, topic, payload, headers, hash, status, available_at, due_at,
  first_seen_at, owner_token)
VALUES (
  given.event_id, given.source, given.message_id, given.topic, given.payload, given.headers, given.hash, 0,
  GREATEST(DATEADD(MICROSECOND, :lease, {now}), COALESCE(given.due_at, {now})),
  given.due_at, {now}, :owner)

-- name: received_all
-- As received, for many of one source.
SELECT source, message_id,
       CASE WHEN seen_again_at IS NOT NULL
            THEN CONCAT_WS(' ', status, {if hashed}CASE WHEN hash IS NULL THEN {/if}payload{if hashed} END{/if})
       END AS known_as, hash
FROM {table}
WHERE source = :source AND message_id IN (:message_ids...)

-- name: found
SELECT status, hash FROM {table}
WHERE source = :source AND message_id = :message_id

-- name: fill
UPDATE {table}
SET topic = :topic, payload = :payload, headers = :headers, hash = :hash,
    status = 0, due_at = :due_at,
    available_at = GREATEST({now}, COALESCE(CAST(:due_at AS TIMESTAMP(6) WITH TIME ZONE), {now})),
    seen_again_at = {now}
WHERE source = :source AND message_id = :message_id AND status IN (4, 5)

-- name: enqueue
-- A lease on content that is replaced goes to a token without an owner: it ends when it would have ended,
-- but not before the new due time.
-- The count of expired leases belongs to the old content, so it starts again at 0.
MERGE INTO {table} AS inbox
USING (
  SELECT CAST(:event_id AS VARCHAR) AS event_id, CAST(:source AS VARCHAR) AS source,
         CAST(:message_id AS VARCHAR) AS message_id, CAST(:topic AS VARCHAR) AS topic,
         CAST(:payload AS CHARACTER LARGE OBJECT) AS payload,
         CAST(:headers AS CHARACTER LARGE OBJECT) AS headers,
         CAST(:hash AS VARBINARY(1024)) AS hash,
         CAST(:due_at AS TIMESTAMP(6) WITH TIME ZONE) AS due_at) AS given
ON inbox.source = given.source AND inbox.message_id = given.message_id
WHEN MATCHED AND inbox.status = 1 THEN UPDATE SET seen_again_at = {now}
WHEN MATCHED THEN UPDATE
SET seen_again_at = {now}, topic = given.topic, payload = given.payload,
    headers = given.headers, hash = given.hash,
    due_at = given.due_at,
    content_version = inbox.content_version
      + CASE WHEN inbox.status NOT IN (4, 5)
              AND (inbox.topic IS DISTINCT FROM given.topic
                   OR inbox.payload IS DISTINCT FROM given.payload) THEN 1 ELSE 0 END,
    owner_token = CASE WHEN inbox.owner_token IS NOT NULL
                        AND (inbox.topic IS DISTINCT FROM given.topic
                             OR inbox.payload IS DISTINCT FROM given.payload)
                       THEN given.event_id ELSE inbox.owner_token END,
    started = CASE WHEN inbox.topic IS DISTINCT FROM given.topic
                     OR inbox.payload IS DISTINCT FROM given.payload
                   THEN 0 ELSE inbox.started END,
    lease_expiries = CASE WHEN inbox.topic IS DISTINCT FROM given.topic
                            OR inbox.payload IS DISTINCT FROM given.payload
                          THEN 0 ELSE inbox.lease_expiries END,
    available_at = CASE
      WHEN inbox.status IN (4, 5) THEN GREATEST({now}, COALESCE(given.due_at, {now}))
      WHEN inbox.status = 3 OR inbox.due_at IS NOT DISTINCT FROM given.due_at
        THEN inbox.available_at
      WHEN inbox.owner_token IS NOT NULL OR inbox.attempts > 0
        THEN GREATEST(inbox.available_at, COALESCE(given.due_at, inbox.available_at))
      ELSE GREATEST(LEAST(inbox.available_at, {now}),
                    COALESCE(given.due_at, LEAST(inbox.available_at, {now}))) END,
    status = CASE WHEN inbox.status IN (4, 5) THEN 0 ELSE inbox.status END
WHEN NOT MATCHED THEN INSERT (
  event_id, source, message_id, topic, payload, headers, hash, status, available_at, due_at,
  first_seen_at)
VALUES (
  given.event_id, given.source, given.message_id, given.topic, given.payload, given.headers, given.hash, 0,
  GREATEST({now}, COALESCE(given.due_at, {now})), given.due_at, {now})

-- name: see
MERGE INTO {table} AS inbox
USING (SELECT CAST(:source AS VARCHAR) AS source, CAST(:message_id AS VARCHAR) AS message_id,
              CAST(:hash AS VARBINARY(1024)) AS hash) AS given
ON inbox.source = given.source AND inbox.message_id = given.message_id
WHEN MATCHED THEN UPDATE SET seen_again_at = {now}, hash = COALESCE(inbox.hash, given.hash)
WHEN NOT MATCHED THEN INSERT (
  event_id, source, message_id, hash, status, available_at, first_seen_at)
VALUES (:event_id, given.source, given.message_id, given.hash, 4, {now}, {now})

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

-- name: lock_due
SELECT event_id, available_at, COALESCE(OCTET_LENGTH(payload), 0) AS bytes
FROM {table} USE INDEX ({name}_claim)
WHERE claimable_at <= {now}
  AND claimable_at > CASE WHEN CAST(:after AS TIMESTAMP(6) WITH TIME ZONE) <= {now}
                          THEN CAST(:after AS TIMESTAMP(6) WITH TIME ZONE)
                          ELSE TIMESTAMP WITH TIME ZONE '0001-01-01 00:00:00+00' END
LIMIT :limit
FOR UPDATE SKIP LOCKED

-- name: read
SELECT event_id, source, message_id, topic, payload, headers, hash, attempts, content_version,
       first_seen_at, seen_again_at, due_at, last_error, listeners, started, lease_expiries, available_at,
       0 AS expired
FROM {table}
WHERE event_id IN (:ids...)

-- name: dead_letters
SELECT event_id, source, message_id, topic, CAST(NULL AS VARCHAR) AS payload, headers, hash, attempts,
       content_version, first_seen_at, seen_again_at, due_at, available_at, last_error, listeners, replays,
       replayed_at, replayed_by
FROM {table} USE INDEX ({name}_dead)
WHERE dead_first_seen_at < COALESCE(DATEADD(MICROSECOND, 1, CAST(:after_at AS TIMESTAMP(6) WITH TIME ZONE)), TIMESTAMP WITH TIME ZONE '9999-12-31 00:00:00+00')
  AND (CAST(:after_at AS TIMESTAMP(6) WITH TIME ZONE) IS NULL OR dead_first_seen_at < CAST(:after_at AS TIMESTAMP(6) WITH TIME ZONE) OR event_id < :after_id)
  AND (CAST(:topic AS VARCHAR) IS NULL OR topic = :topic)
  AND CAST(:tenant_id AS VARCHAR) IS NULL
  AND (CAST(:source AS VARCHAR) IS NULL OR source = :source)
  AND CAST(:correlation_id AS VARCHAR) IS NULL
  AND (CAST(:error AS VARCHAR) IS NULL OR LOCATE(:error, last_error) > 0)
  AND (CAST(:died_from AS TIMESTAMP(6) WITH TIME ZONE) IS NULL OR available_at >= CAST(:died_from AS TIMESTAMP(6) WITH TIME ZONE))
  AND (CAST(:died_before AS TIMESTAMP(6) WITH TIME ZONE) IS NULL OR available_at < CAST(:died_before AS TIMESTAMP(6) WITH TIME ZONE))
ORDER BY dead_first_seen_at DESC, event_id DESC
LIMIT :limit

-- name: dead_letter
SELECT event_id, source, message_id, topic, payload, headers, hash, attempts,
       content_version, first_seen_at, seen_again_at, due_at, available_at, last_error, listeners, replays,
       replayed_at, replayed_by
FROM {table}
WHERE event_id = :id AND status = 3

-- name: count_dead
SELECT COUNT(*) AS looked_at,
  COUNT(CASE WHEN (CAST(:topic AS VARCHAR) IS NULL OR topic = :topic)
    AND CAST(:tenant_id AS VARCHAR) IS NULL
    AND (CAST(:source AS VARCHAR) IS NULL OR source = :source)
    AND CAST(:correlation_id AS VARCHAR) IS NULL
    AND (CAST(:error AS VARCHAR) IS NULL OR LOCATE(:error, last_error) > 0)
    AND (CAST(:died_from AS TIMESTAMP(6) WITH TIME ZONE) IS NULL OR available_at >= CAST(:died_from AS TIMESTAMP(6) WITH TIME ZONE))
    AND (CAST(:died_before AS TIMESTAMP(6) WITH TIME ZONE) IS NULL OR available_at < CAST(:died_before AS TIMESTAMP(6) WITH TIME ZONE)) THEN 1 END) AS found
FROM (
  SELECT * FROM {table} USE INDEX ({name}_dead)
  WHERE dead_first_seen_at <= TIMESTAMP WITH TIME ZONE '9999-12-31 00:00:00+00'
  ORDER BY dead_first_seen_at DESC, event_id DESC
  LIMIT :window
) AS newest

-- name: replay
UPDATE {table}
SET status = CASE WHEN topic IS NULL THEN 4 ELSE 0 END, attempts = 0, lease_expiries = 0, started = 0,
    available_at = GREATEST({now}, COALESCE(due_at, {now})),
    due_at = GREATEST({now}, COALESCE(due_at, {now})),
    replays = replays + 1, replayed_at = {now}, replayed_by = :by
WHERE event_id IN (:ids...)

-- name: lock_purge_payloads
SELECT event_id FROM {table} USE INDEX ({name}_done)
WHERE status = 1 AND kept = 1 AND done_at < DATEADD(MICROSECOND, -:age, {now})
LIMIT :limit
FOR UPDATE SKIP LOCKED

-- name: purge_payloads
UPDATE {table} SET payload = NULL, kept = 0 WHERE event_id IN (:ids...)

-- name: lock_purge_done
SELECT event_id FROM {table} USE INDEX ({name}_done)
WHERE status = 1 AND kept IN (0, 1) AND done_at < DATEADD(MICROSECOND, -:age, {now})
  AND COALESCE(seen_again_at, first_seen_at) < DATEADD(MICROSECOND, -:age, {now})
LIMIT :limit
FOR UPDATE SKIP LOCKED

-- name: purge_done
DELETE FROM {table} WHERE event_id IN (:ids...)

-- name: lock_purge_dead
SELECT event_id FROM {table} USE INDEX ({name}_dead)
WHERE dead_first_seen_at <= TIMESTAMP WITH TIME ZONE '9999-12-31 00:00:00+00' AND available_at < DATEADD(MICROSECOND, -:age, {now})
  AND COALESCE(seen_again_at, first_seen_at) < DATEADD(MICROSECOND, -:age, {now})
LIMIT :limit
FOR UPDATE SKIP LOCKED

-- name: purge_dead
DELETE FROM {table} WHERE event_id IN (:ids...)
