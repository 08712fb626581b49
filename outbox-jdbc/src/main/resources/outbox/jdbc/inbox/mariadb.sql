-- What the inbox says on MariaDB and MySQL beside, or instead of, the statements of the outbox. An
-- assignment sees the columns assigned before it: their order matters.

-- name: receive
INSERT INTO {table} (
  event_id, source, message_id, topic, payload, headers, hash, status, available_at, due_at,
  first_seen_at{if owner}, owner_token{/if})
VALUES (
  :event_id, :source, :message_id, :topic, :payload, :headers, :hash, 0,
  GREATEST({now}{if owner} + INTERVAL :lease MICROSECOND{/if}, COALESCE(:due_at, {now})), :due_at,
  {now}{if owner}, :owner{/if})
ON DUPLICATE KEY UPDATE seen_again_at = {now}

-- name: received
-- A message that is new was not seen again. Of a known one, its status and, if there is one to compare, its
-- payload, unless both are more than a packet may hold. Locks what is locked already: in a caller's older
-- snapshot the row may look as it was.
SELECT CASE WHEN seen_again_at IS NOT NULL
            THEN COALESCE(
              CONCAT_WS(' ', status, {if hash}CASE WHEN hash IS NULL THEN {/if}payload{if hash} END{/if}),
              status)
       END AS known_as{if hash}, hash{/if}
FROM {table}
WHERE source = :source AND message_id = :message_id
FOR UPDATE

-- name: receive_all
-- As receive, for keys that differ and come in order: concurrent calls take their locks in the same order.
INSERT INTO {table} (
  event_id, source, message_id, topic, payload, headers, hash, status, available_at, due_at,
  first_seen_at, owner_token)
VALUES
  {rows}(:event_id, :source, :message_id, :topic, :payload, :headers, :hash, 0,
   GREATEST({now} + INTERVAL :lease MICROSECOND, COALESCE(:due_at, {now})), :due_at,
   {now}, :owner){/rows}
ON DUPLICATE KEY UPDATE seen_again_at = {now}

-- name: received_all
-- As received, for many of one source.
SELECT source, message_id,
       CASE WHEN seen_again_at IS NOT NULL
            THEN COALESCE(
              CONCAT_WS(' ', status, {if hashed}CASE WHEN hash IS NULL THEN {/if}payload{if hashed} END{/if}),
              status)
       END AS known_as, hash
FROM {table}
WHERE source = :source AND message_id IN (:message_ids...)
FOR UPDATE

-- name: found
SELECT status, hash FROM {table}
WHERE source = :source AND message_id = :message_id
FOR UPDATE

-- name: fill
UPDATE {table}
SET topic = :topic, payload = :payload, headers = :headers, hash = :hash, status = 0, due_at = :due_at,
    available_at = GREATEST({now}, COALESCE(:due_at, {now})), seen_again_at = {now}
WHERE source = :source AND message_id = :message_id AND status IN (4, 5)

-- name: enqueue
-- A lease on content that is replaced goes to a token without an owner: it ends when it would have ended,
-- but not before the new due time.
-- The count of expired leases belongs to the old content, so it starts again at 0.
INSERT INTO {table} (
  event_id, source, message_id, topic, payload, headers, hash, status, available_at, due_at,
  first_seen_at)
VALUES (
  :event_id, :source, :message_id, :topic, :payload, :headers, :hash, 0,
  GREATEST({now}, COALESCE(:due_at, {now})), :due_at, {now})
ON DUPLICATE KEY UPDATE
  seen_again_at = {now},
  available_at = CASE
    WHEN status IN (4, 5) THEN VALUES(available_at)
    WHEN status IN (1, 3) OR due_at <=> VALUES(due_at) THEN available_at
    WHEN owner_token IS NOT NULL OR attempts > 0
      THEN GREATEST(available_at, COALESCE(VALUES(due_at), available_at))
    ELSE GREATEST(LEAST(available_at, {now}), COALESCE(VALUES(due_at), LEAST(available_at, {now}))) END,
  content_version = content_version
    + CASE WHEN status NOT IN (1, 4, 5)
            AND NOT (topic <=> VALUES(topic) AND payload <=> VALUES(payload)) THEN 1 ELSE 0 END,
  owner_token = CASE WHEN owner_token IS NOT NULL
                      AND NOT (topic <=> VALUES(topic) AND payload <=> VALUES(payload))
                     THEN VALUES(event_id) ELSE owner_token END,
  started = CASE WHEN status <> 1 AND NOT (topic <=> VALUES(topic) AND payload <=> VALUES(payload))
                 THEN 0 ELSE started END,
  lease_expiries = CASE WHEN status <> 1
                         AND NOT (topic <=> VALUES(topic) AND payload <=> VALUES(payload))
                        THEN 0 ELSE lease_expiries END,
  topic = CASE WHEN status = 1 THEN topic ELSE VALUES(topic) END,
  payload = CASE WHEN status = 1 THEN payload ELSE VALUES(payload) END,
  headers = CASE WHEN status = 1 THEN headers ELSE VALUES(headers) END,
  hash = CASE WHEN status = 1 THEN hash ELSE VALUES(hash) END,
  due_at = CASE WHEN status = 1 THEN due_at ELSE VALUES(due_at) END,
  status = CASE WHEN status IN (4, 5) THEN 0 ELSE status END

-- name: see
INSERT INTO {table} (
  event_id, source, message_id, hash, status, available_at, first_seen_at)
VALUES (:event_id, :source, :message_id, :hash, 4, {now}, {now})
ON DUPLICATE KEY UPDATE seen_again_at = {now}, hash = COALESCE(hash, VALUES(hash))

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
FROM {table} FORCE INDEX (idx_claim)
WHERE claimable_at <= {now}
  AND claimable_at > CASE WHEN CAST(:after AS DATETIME(6)) <= {now} THEN CAST(:after AS DATETIME(6))
                          ELSE CAST('1000-01-01' AS DATETIME(6)) END
ORDER BY claimable_at, event_id
LIMIT :limit
FOR UPDATE SKIP LOCKED

-- name: read
SELECT event_id, source, message_id, topic, payload, headers, hash, attempts, content_version,
       first_seen_at, seen_again_at, due_at, last_error, listeners, started, lease_expiries, available_at,
       0 AS expired
FROM {table}
WHERE event_id IN (:ids...)

-- name: dead_letters
SELECT event_id, source, message_id, topic, NULL AS payload, headers, hash, attempts,
       content_version, first_seen_at, seen_again_at, due_at, available_at, last_error, listeners, replays,
       replayed_at, replayed_by
FROM {table} FORCE INDEX ({name}_dead)
WHERE dead_first_seen_at <= COALESCE(CAST(:after_at AS DATETIME(6)), CAST('9999-12-31' AS DATETIME(6)))
  AND (CAST(:after_at AS DATETIME(6)) IS NULL OR dead_first_seen_at < CAST(:after_at AS DATETIME(6)) OR event_id < :after_id)
  AND (:topic IS NULL OR topic = :topic)
  AND :tenant_id IS NULL
  AND (:source IS NULL OR source = :source)
  AND :correlation_id IS NULL
  AND (:error IS NULL OR LOCATE(:error, last_error) > 0)
  AND (:died_from IS NULL OR available_at >= :died_from)
  AND (:died_before IS NULL OR available_at < :died_before)
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
  COUNT(CASE WHEN (:topic IS NULL OR topic = :topic)
    AND :tenant_id IS NULL
    AND (:source IS NULL OR source = :source)
    AND :correlation_id IS NULL
    AND (:error IS NULL OR LOCATE(:error, last_error) > 0)
    AND (:died_from IS NULL OR available_at >= :died_from)
    AND (:died_before IS NULL OR available_at < :died_before) THEN 1 END) AS found
FROM (
  SELECT * FROM {table} FORCE INDEX ({name}_dead)
  WHERE dead_first_seen_at <= CAST('9999-12-31' AS DATETIME(6))
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
SELECT event_id FROM {table} FORCE INDEX (idx_done)
WHERE status = 1 AND kept = 1 AND done_at < {now} - INTERVAL :age MICROSECOND
LIMIT :limit
FOR UPDATE SKIP LOCKED

-- name: purge_payloads
UPDATE {table} SET payload = NULL, kept = 0 WHERE event_id IN (:ids...)

-- name: lock_purge_done
SELECT event_id FROM {table} FORCE INDEX (idx_done)
WHERE status = 1 AND kept IN (0, 1) AND done_at < {now} - INTERVAL :age MICROSECOND
  AND COALESCE(seen_again_at, first_seen_at) < {now} - INTERVAL :age MICROSECOND
LIMIT :limit
FOR UPDATE SKIP LOCKED

-- name: purge_done
DELETE FROM {table} WHERE event_id IN (:ids...)

-- name: lock_purge_dead
SELECT event_id FROM {table} FORCE INDEX ({name}_dead)
WHERE dead_first_seen_at <= CAST('9999-12-31' AS DATETIME(6)) AND available_at < {now} - INTERVAL :age MICROSECOND
  AND COALESCE(seen_again_at, first_seen_at) < {now} - INTERVAL :age MICROSECOND
LIMIT :limit
FOR UPDATE SKIP LOCKED

-- name: purge_dead
DELETE FROM {table} WHERE event_id IN (:ids...)
