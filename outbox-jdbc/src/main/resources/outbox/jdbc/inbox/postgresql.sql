-- What the inbox says on PostgreSQL beside, or instead of, the statements of the outbox. A message that is
-- known is touched, not read: so what brings it is one statement and waits only for the key's writer.
-- The plans of those over one row are kept; see the outbox's file for the rest.

-- name: receive
-- A message that is new was not seen again. Each parameter, each operator and each column costs every new
-- message, so a known one is answered in one value: its status and, if there is one to compare, its payload.
-- That it came again need not be on disk if this is a transaction of its own: CASE, unlike AND, has an order,
-- so a new one never gets there.
INSERT INTO {table} AS inbox (
  event_id, source, message_id, topic, payload, status, first_seen_at,
  available_at{if due_at}, due_at{/if}{if headers}, headers{/if}{if hash}, hash{/if}{if owner},
  owner_token{/if})
VALUES (
  :event_id, :source, :message_id, :topic, :payload, 0, {now},
  {if due_at}GREATEST(CAST(:due_at AS timestamptz), {/if}{now}{if owner} + :lease * INTERVAL '1 microsecond'{/if}{if due_at}), :due_at{/if}{if headers},
  :headers{/if}{if hash}, :hash{/if}{if owner}, :owner{/if})
ON CONFLICT (source, message_id) DO UPDATE SET seen_again_at = {now}
RETURNING
  CASE WHEN seen_again_at IS NOT NULL THEN
    {if relaxed}CASE WHEN set_config('synchronous_commit', 'off', true) IS NOT NULL THEN {/if}
    concat_ws(' ', status, {if hash}CASE WHEN hash IS NULL THEN {/if}payload{if hash} END{/if})
    {if relaxed}END {/if}END AS known_as{if hash}, hash{/if}

-- name: receive_all
-- As receive, for keys that differ and come in order: concurrent calls take their locks in the same order.
INSERT INTO {table} AS inbox (
  event_id, source, message_id, topic, payload, headers, hash, status, first_seen_at, available_at, due_at,
  owner_token)
SELECT
  event_id, source, message_id, topic, payload, headers, hash, 0, {now},
  GREATEST({now} + :lease * INTERVAL '1 microsecond', CAST(due_at AS timestamptz)),
  CAST(due_at AS timestamptz), :owner
FROM unnest(
  CAST(:event_id AS varchar[]), CAST(:source AS varchar[]), CAST(:message_id AS varchar[]),
  CAST(:topic AS varchar[]), CAST(:payload AS text[]), CAST(:headers AS text[]), CAST(:hash AS bytea[]),
  CAST(:due_at AS text[]))
  AS given (event_id, source, message_id, topic, payload, headers, hash, due_at)
ON CONFLICT (source, message_id) DO UPDATE SET seen_again_at = {now}
RETURNING
  source, message_id,
  CASE WHEN seen_again_at IS NOT NULL THEN
    concat_ws(' ', status, {if hashed}CASE WHEN hash IS NULL THEN {/if}payload{if hashed} END{/if})
  END AS known_as, hash

-- name: fill
UPDATE {table}
SET topic = :topic, payload = :payload, headers = :headers, hash = :hash, status = 0, due_at = :due_at,
    available_at = GREATEST({now}, CAST(:due_at AS timestamptz)), seen_again_at = {now}
WHERE source = :source AND message_id = :message_id AND status IN (4, 5)

-- name: enqueue
-- A lease on content that is replaced goes to a token without an owner: it ends when it would have ended,
-- but not before the new due time.
-- The count of expired leases belongs to the old content, so it starts again at 0.
-- The hash that is replaced is read only of a message that was there, as it was before this statement.
INSERT INTO {table} AS inbox (
  event_id, source, message_id, topic, payload, headers, hash, status, available_at, due_at,
  first_seen_at)
VALUES (
  :event_id, :source, :message_id, :topic, :payload, :headers, :hash, 0,
  GREATEST({now}, CAST(:due_at AS timestamptz)), :due_at, {now})
ON CONFLICT (source, message_id) DO UPDATE
SET seen_again_at = {now},
    topic = CASE WHEN inbox.status = 1 THEN inbox.topic ELSE EXCLUDED.topic END,
    payload = CASE WHEN inbox.status = 1 THEN inbox.payload ELSE EXCLUDED.payload END,
    headers = CASE WHEN inbox.status = 1 THEN inbox.headers ELSE EXCLUDED.headers END,
    hash = CASE WHEN inbox.status = 1 THEN inbox.hash ELSE EXCLUDED.hash END,
    due_at = CASE WHEN inbox.status = 1 THEN inbox.due_at ELSE EXCLUDED.due_at END,
    content_version = inbox.content_version
      + CASE WHEN inbox.status NOT IN (1, 4, 5)
              AND (inbox.topic IS DISTINCT FROM EXCLUDED.topic
                   OR inbox.payload IS DISTINCT FROM EXCLUDED.payload) THEN 1 ELSE 0 END,
    owner_token = CASE WHEN inbox.owner_token IS NOT NULL
                        AND (inbox.topic IS DISTINCT FROM EXCLUDED.topic
                             OR inbox.payload IS DISTINCT FROM EXCLUDED.payload)
                       THEN EXCLUDED.event_id ELSE inbox.owner_token END,
    started = CASE WHEN inbox.status <> 1
                    AND (inbox.topic IS DISTINCT FROM EXCLUDED.topic
                         OR inbox.payload IS DISTINCT FROM EXCLUDED.payload)
                   THEN 0 ELSE inbox.started END,
    lease_expiries = CASE WHEN inbox.status <> 1
                           AND (inbox.topic IS DISTINCT FROM EXCLUDED.topic
                                OR inbox.payload IS DISTINCT FROM EXCLUDED.payload)
                          THEN 0 ELSE inbox.lease_expiries END,
    available_at = CASE
      WHEN inbox.status IN (4, 5) THEN GREATEST({now}, EXCLUDED.due_at)
      WHEN inbox.status IN (1, 3) OR inbox.due_at IS NOT DISTINCT FROM EXCLUDED.due_at
        THEN inbox.available_at
      WHEN inbox.owner_token IS NOT NULL OR inbox.attempts > 0 THEN GREATEST(inbox.available_at, EXCLUDED.due_at)
      ELSE GREATEST(LEAST(inbox.available_at, {now}), EXCLUDED.due_at) END,
    status = CASE WHEN inbox.status IN (4, 5) THEN 0 ELSE inbox.status END
RETURNING status{if hash},
  CASE WHEN seen_again_at IS NOT NULL THEN
    (SELECT before.hash FROM {table} AS before
     WHERE before.source = :source AND before.message_id = :message_id) END AS previous_hash{/if}

-- name: see
INSERT INTO {table} AS inbox (
  event_id, source, message_id, hash, status, available_at, first_seen_at)
VALUES (:event_id, :source, :message_id, :hash, 4, {now}, {now})
ON CONFLICT (source, message_id) DO UPDATE
SET seen_again_at = {now}, hash = COALESCE(inbox.hash, EXCLUDED.hash)
RETURNING status, hash

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
-- By id, not by place: a duplicate moves the row between the look at it and its lock.
WITH due AS MATERIALIZED (
  SELECT event_id, available_at, octet_length(payload) AS bytes
  FROM {table}
  WHERE status IN (0, 2)
    AND available_at <= {now}
    AND available_at > CASE WHEN CAST(:after AS timestamptz) <= {now}
                            THEN CAST(:after AS timestamptz) ELSE '-infinity' END
  ORDER BY available_at, event_id
  LIMIT :limit
  FOR UPDATE SKIP LOCKED
), summed AS (
  SELECT event_id, available_at,
         SUM(bytes) OVER (ORDER BY available_at, event_id
                          ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_before
  FROM due
), taken AS (
  SELECT event_id, available_at FROM summed WHERE COALESCE(bytes_before, 0) < :max_bytes
)
UPDATE {table}
SET lease_expiries = lease_expiries
      + CASE WHEN owner_token IS NOT NULL AND started = 2 THEN 1 ELSE 0 END,
    started = CASE WHEN owner_token IS NOT NULL OR started > 0 THEN 1 ELSE 0 END,
    owner_token = :owner,
    available_at = {now} + :lease * INTERVAL '1 microsecond'
WHERE event_id = ANY (ARRAY(SELECT event_id FROM taken))
RETURNING event_id, source, message_id, topic, payload, headers, hash, attempts, content_version,
          first_seen_at, seen_again_at, due_at, last_error, listeners, started, lease_expiries, available_at,
          0 AS expired, (SELECT MAX(available_at) FROM taken) AS watermark,
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
  WHERE event_id = ANY (:ids) AND status NOT IN (1, 3, 4, 5)
    AND (owner_token IS NULL OR available_at <= {now})
  FOR UPDATE SKIP LOCKED))
RETURNING event_id, source, message_id, topic, payload, headers, hash, attempts, content_version,
          first_seen_at, seen_again_at, due_at, last_error, listeners, started, lease_expiries, available_at,
          0 AS expired,
          (SELECT set_config('synchronous_commit', 'off', true) WHERE :relaxed)

-- name: dead_letters
SELECT event_id, source, message_id, topic, CAST(NULL AS text) AS payload, headers, hash, attempts,
       content_version, first_seen_at, seen_again_at, due_at, available_at, last_error, listeners, replays,
       replayed_at, replayed_by
FROM {table}
WHERE status = 3
  AND (first_seen_at, event_id)
      < (COALESCE(CAST(:after_at AS timestamptz), 'infinity'), COALESCE(:after_id, ''))
  AND (CAST(:topic AS text) IS NULL OR topic = :topic)
  AND CAST(:tenant_id AS text) IS NULL
  AND (CAST(:source AS text) IS NULL OR source = :source)
  AND CAST(:correlation_id AS text) IS NULL
  AND (CAST(:error AS text) IS NULL OR strpos(last_error, :error) > 0)
  AND (CAST(:died_from AS timestamptz) IS NULL OR available_at >= CAST(:died_from AS timestamptz))
  AND (CAST(:died_before AS timestamptz) IS NULL OR available_at < CAST(:died_before AS timestamptz))
ORDER BY first_seen_at DESC, event_id DESC
LIMIT :limit

-- name: dead_letter
SELECT event_id, source, message_id, topic, payload, headers, hash, attempts,
       content_version, first_seen_at, seen_again_at, due_at, available_at, last_error, listeners, replays,
       replayed_at, replayed_by
FROM {table}
WHERE event_id = :id AND status NOT IN (0, 1, 2, 4, 5)

-- name: count_dead
SELECT COUNT(*) AS looked_at,
  COUNT(CASE WHEN (CAST(:topic AS text) IS NULL OR topic = :topic)
    AND CAST(:tenant_id AS text) IS NULL
    AND (CAST(:source AS text) IS NULL OR source = :source)
    AND CAST(:correlation_id AS text) IS NULL
    AND (CAST(:error AS text) IS NULL OR strpos(last_error, :error) > 0)
    AND (CAST(:died_from AS timestamptz) IS NULL OR available_at >= CAST(:died_from AS timestamptz))
    AND (CAST(:died_before AS timestamptz) IS NULL OR available_at < CAST(:died_before AS timestamptz)) THEN 1 END) AS found
FROM (
  SELECT * FROM {table}
  WHERE status = 3
  ORDER BY first_seen_at DESC, event_id DESC
  LIMIT :window
) AS newest

-- name: replay
UPDATE {table}
SET status = CASE WHEN topic IS NULL THEN 4 ELSE 0 END, attempts = 0, lease_expiries = 0, started = 0,
    available_at = GREATEST({now}, due_at),
    due_at = GREATEST({now}, due_at),
    replays = replays + 1, replayed_at = {now}, replayed_by = :by
WHERE event_id = ANY (ARRAY(
  SELECT event_id FROM {table}
  WHERE event_id = ANY (:ids) AND status NOT IN (0, 1, 2, 4, 5)
    AND (CAST(:died_before AS timestamptz) IS NULL
         OR available_at < CAST(:died_before AS timestamptz))
  FOR UPDATE SKIP LOCKED))
RETURNING event_id

-- name: purge_payloads
UPDATE {table}
SET payload = NULL, kept = 0
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
    AND COALESCE(seen_again_at, first_seen_at) < {now} - :age * INTERVAL '1 microsecond'
  ORDER BY done_at
  LIMIT :limit
  FOR UPDATE SKIP LOCKED
), complete AS MATERIALIZED (
  SELECT ctid AS place FROM {table}
  WHERE status = 1 AND kept = 1 AND done_at < {now} - :age * INTERVAL '1 microsecond'
    AND COALESCE(seen_again_at, first_seen_at) < {now} - :age * INTERVAL '1 microsecond'
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
    AND COALESCE(seen_again_at, first_seen_at) < {now} - :age * INTERVAL '1 microsecond'
  ORDER BY first_seen_at, event_id
  LIMIT :limit
  FOR UPDATE SKIP LOCKED))
