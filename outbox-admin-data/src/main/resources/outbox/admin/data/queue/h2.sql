-- What operators ask the table of an outbox or an inbox on H2. {table} and {now} are put in when the
-- file is loaded, and so are the names in which the two differ: {topic}, {tenant} (of an inbox: the source),
-- {stored_at}, {correlation}, {own} for the columns that only one of them has, {users} for the condition that
-- tells the messages of users from those that the library sends to itself. :name is a parameter.
-- Lists: the inner select finds the next :look rows in the order of one index, beginning behind the
-- place of the page before; the outer one reads and filters them. So no filter makes a page read more than that.
-- "Less than a microsecond after" stands for "at most", whose bound H2 2.3.230 misses in a scan backwards.

-- name: probe
SELECT event_id, {topic}, kept, replays FROM {table} WHERE 1 = 0

-- name: clock
SELECT {now} AS now

-- name: estimate
-- No statistics of this database tell live rows from others.
SELECT {now} AS now, CAST(NULL AS BIGINT) AS pending, CAST(NULL AS BIGINT) AS dead

-- name: tallies
-- Those due longest, those due next, which include the leased ones, and those that died last. What
-- counts for age is when a message was stored or, if that is later, due.
SELECT topic, tenant,
  COUNT(CASE WHEN kind = 1 THEN 1 END) AS due,
  COUNT(CASE WHEN kind = 2 THEN 1 END) AS later,
  COUNT(CASE WHEN kind = 2 AND owner_token IS NOT NULL THEN 1 END) AS leased,
  COUNT(CASE WHEN kind < 3 AND attempts > 0 THEN 1 END) AS failed_pending,
  COUNT(CASE WHEN kind < 3 AND attempts >= :old_failure AND failed = 1 THEN 1 END) AS old_failures,
  COUNT(CASE WHEN kind = 3 THEN 1 END) AS dead,
  COUNT(CASE WHEN kind = 3
              AND available_at > DATEADD(MICROSECOND, -:window, {now}) THEN 1 END) AS died,
  MIN(CASE WHEN kind < 3 AND due_at > stored_at AND due_at <= {now} THEN due_at
           WHEN kind < 3 AND (due_at IS NULL OR due_at <= {now}) THEN stored_at END) AS oldest
FROM (
  (SELECT 1 AS kind, {topic} AS topic, {tenant} AS tenant, owner_token, attempts,
          CASE WHEN last_error IS NULL THEN 0 ELSE 1 END AS failed, {stored_at} AS stored_at, due_at, available_at
   FROM {table} USE INDEX ({table_name}_claim)
   WHERE claimable_at >= TIMESTAMP WITH TIME ZONE '1000-01-01 00:00:00+00' AND claimable_at <= {now}
   ORDER BY claimable_at, event_id
   LIMIT :limit)
  UNION ALL
  (SELECT 2, {topic}, {tenant}, owner_token, attempts,
          CASE WHEN last_error IS NULL THEN 0 ELSE 1 END, {stored_at}, due_at, available_at
   FROM {table} USE INDEX ({table_name}_claim)
   WHERE claimable_at > {now}
   ORDER BY claimable_at, event_id
   LIMIT :limit)
  UNION ALL
  (SELECT 3, {topic}, {tenant}, owner_token, attempts,
          1, {stored_at}, due_at, available_at
   FROM {table} USE INDEX ({table_name}_dead)
   WHERE dead_{stored_at} <= TIMESTAMP WITH TIME ZONE '9999-12-31 00:00:00+00'
   ORDER BY dead_{stored_at} DESC, event_id DESC
   LIMIT :limit)
) AS looked_at
GROUP BY topic, tenant

-- name: stretch
-- The next messages in the order of their turn, to be counted further than the tallies go.
SELECT COUNT(CASE WHEN users = 1 AND available_at <= {now} THEN 1 END) AS due,
  COUNT(CASE WHEN users = 1 AND available_at > {now} AND owner_token IS NOT NULL THEN 1 END) AS leased,
  COUNT(CASE WHEN available_at <= {now} OR owner_token IS NOT NULL THEN 1 END) AS busy,
  COUNT(*) AS looked_at,
  MIN(CASE WHEN users = 1 AND due_at > stored_at AND due_at <= {now} THEN due_at
           WHEN users = 1 AND (due_at IS NULL OR due_at <= {now}) THEN stored_at END) AS oldest
FROM (
  SELECT CASE WHEN {users} THEN 1 ELSE 0 END AS users, owner_token, {stored_at} AS stored_at, due_at, available_at
  FROM {table} USE INDEX ({table_name}_claim)
  WHERE claimable_at >= COALESCE(CAST(:after_at AS TIMESTAMP(6) WITH TIME ZONE), TIMESTAMP WITH TIME ZONE '1000-01-01 00:00:00+00')
    AND (CAST(:after_at AS TIMESTAMP(6) WITH TIME ZONE) IS NULL OR claimable_at > CAST(:after_at AS TIMESTAMP(6) WITH TIME ZONE) OR event_id > :after_id)
  ORDER BY claimable_at, event_id
  LIMIT :limit
) AS stretch

-- name: stretch_end
SELECT claimable_at AS place_at, event_id
FROM {table} USE INDEX ({table_name}_claim)
WHERE claimable_at >= COALESCE(CAST(:after_at AS TIMESTAMP(6) WITH TIME ZONE), TIMESTAMP WITH TIME ZONE '1000-01-01 00:00:00+00')
  AND (CAST(:after_at AS TIMESTAMP(6) WITH TIME ZONE) IS NULL OR claimable_at > CAST(:after_at AS TIMESTAMP(6) WITH TIME ZONE) OR event_id > :after_id)
ORDER BY claimable_at, event_id
LIMIT 1 OFFSET :skip

-- name: due_count
-- Where no message is internal the index alone tells how many are due.
SELECT COUNT(*) AS due
FROM (
  SELECT event_id FROM {table} USE INDEX ({table_name}_claim)
  WHERE claimable_at >= TIMESTAMP WITH TIME ZONE '1000-01-01 00:00:00+00' AND claimable_at <= {now}
  LIMIT :limit
) AS counted

-- name: dead_count
SELECT COUNT(*) AS dead
FROM (
  SELECT event_id FROM {table} USE INDEX ({table_name}_dead)
  WHERE dead_{stored_at} <= TIMESTAMP WITH TIME ZONE '9999-12-31 00:00:00+00'
  LIMIT :limit
) AS counted

-- name: completed
SELECT COUNT(*) AS looked_at, COUNT(CASE WHEN users = 1 THEN 1 END) AS completed, MIN(done_at) AS since
FROM (
  SELECT done_at, CASE WHEN {users} THEN 1 ELSE 0 END AS users
  FROM {table} USE INDEX ({table_name}_done)
  WHERE status = 1 AND kept = 1 AND done_at > DATEADD(MICROSECOND, -:window, {now})
  ORDER BY done_at DESC
  LIMIT :limit
) AS newest

-- name: leases
SELECT owner_token, COUNT(*) AS leases, MIN(stored_at) AS oldest, MIN(available_at) AS next_expiry
FROM (
  SELECT owner_token, {stored_at} AS stored_at, available_at,
         CASE WHEN {users} THEN 1 ELSE 0 END AS users
  FROM {table} USE INDEX ({table_name}_claim)
  WHERE claimable_at > {now}
  ORDER BY claimable_at, event_id
  LIMIT :limit
) AS later
WHERE owner_token IS NOT NULL AND users = 1
GROUP BY owner_token

-- name: by_turn
SELECT e.event_id, {topic} AS topic, {tenant} AS tenant, status, owner_token, attempts,
       {stored_at} AS stored_at, available_at, due_at, done_at, replays, {own}, available_at AS place_at,
       CASE WHEN owner_token IS NOT NULL AND available_at > {now} THEN 1 ELSE 0 END AS leased,
       SUBSTRING(last_error, 1, CAST(:snippet AS INT)) AS error_snippet, listeners
FROM (
  SELECT event_id AS looked_id
  FROM {table} USE INDEX ({table_name}_claim)
  WHERE claimable_at >= COALESCE(CAST(:after_at AS TIMESTAMP(6) WITH TIME ZONE), TIMESTAMP WITH TIME ZONE '1000-01-01 00:00:00+00')
    AND (CAST(:after_at AS TIMESTAMP(6) WITH TIME ZONE) IS NULL OR claimable_at > CAST(:after_at AS TIMESTAMP(6) WITH TIME ZONE) OR event_id > :after_id)
    AND {users}
  ORDER BY claimable_at, event_id
  LIMIT :look
) AS looked_at
  INNER JOIN {table} AS e ON e.event_id = looked_id
WHERE (:status < 0 OR status = :status)
  AND (:held < 0 OR (:held = 0 AND owner_token IS NULL) OR (:held = 1 AND owner_token IS NOT NULL))
  AND (CAST(:owner AS VARCHAR) IS NULL OR owner_token = :owner
       OR LOCATE(CONCAT(CAST(:owner AS VARCHAR), '.'), owner_token) = 1)
  AND (CAST(:topic AS VARCHAR) IS NULL OR {topic} = :topic)
  AND (CAST(:tenant AS VARCHAR) IS NULL OR {tenant} = :tenant)
  AND (CAST(:correlation AS VARCHAR) IS NULL OR {correlation} = :correlation)
  AND (CAST(:error AS VARCHAR) IS NULL OR LOCATE(:error, last_error) > 0)
  AND (CAST(:from AS TIMESTAMP(6) WITH TIME ZONE) IS NULL OR {stored_at} >= CAST(:from AS TIMESTAMP(6) WITH TIME ZONE))
  AND (CAST(:to AS TIMESTAMP(6) WITH TIME ZONE) IS NULL OR {stored_at} < CAST(:to AS TIMESTAMP(6) WITH TIME ZONE))
ORDER BY available_at, e.event_id
LIMIT :limit

-- name: place_by_turn
SELECT available_at AS place_at, event_id
FROM {table} USE INDEX ({table_name}_claim)
WHERE claimable_at >= COALESCE(CAST(:after_at AS TIMESTAMP(6) WITH TIME ZONE), TIMESTAMP WITH TIME ZONE '1000-01-01 00:00:00+00')
  AND (CAST(:after_at AS TIMESTAMP(6) WITH TIME ZONE) IS NULL OR claimable_at > CAST(:after_at AS TIMESTAMP(6) WITH TIME ZONE) OR event_id > :after_id)
  AND {users}
ORDER BY claimable_at, event_id
LIMIT 1 OFFSET :skip

-- name: by_death
SELECT e.event_id, {topic} AS topic, {tenant} AS tenant, status, owner_token, attempts,
       {stored_at} AS stored_at, available_at, due_at, done_at, replays, {own}, {stored_at} AS place_at,
       0 AS leased,
       SUBSTRING(last_error, 1, CAST(:snippet AS INT)) AS error_snippet, listeners
FROM (
  SELECT event_id AS looked_id
  FROM {table} USE INDEX ({table_name}_dead)
  WHERE dead_{stored_at} < COALESCE(DATEADD(MICROSECOND, 1, CAST(:after_at AS TIMESTAMP(6) WITH TIME ZONE)), TIMESTAMP WITH TIME ZONE '9999-12-31 00:00:00+00')
    AND (CAST(:after_at AS TIMESTAMP(6) WITH TIME ZONE) IS NULL OR dead_{stored_at} < CAST(:after_at AS TIMESTAMP(6) WITH TIME ZONE) OR event_id < :after_id)
    AND dead_{stored_at} < COALESCE(CAST(:to AS TIMESTAMP(6) WITH TIME ZONE), TIMESTAMP WITH TIME ZONE '9999-12-31 00:00:00+00')
  ORDER BY dead_{stored_at} DESC, event_id DESC
  LIMIT :look
) AS looked_at
  INNER JOIN {table} AS e ON e.event_id = looked_id
WHERE status = 3
  AND (CAST(:topic AS VARCHAR) IS NULL OR {topic} = :topic)
  AND (CAST(:tenant AS VARCHAR) IS NULL OR {tenant} = :tenant)
  AND (CAST(:correlation AS VARCHAR) IS NULL OR {correlation} = :correlation)
  AND (CAST(:error AS VARCHAR) IS NULL OR LOCATE(:error, last_error) > 0)
  AND (CAST(:from AS TIMESTAMP(6) WITH TIME ZONE) IS NULL OR available_at >= CAST(:from AS TIMESTAMP(6) WITH TIME ZONE))
  AND (CAST(:to AS TIMESTAMP(6) WITH TIME ZONE) IS NULL OR available_at < CAST(:to AS TIMESTAMP(6) WITH TIME ZONE))
ORDER BY {stored_at} DESC, e.event_id DESC
LIMIT :limit

-- name: place_by_death
SELECT {stored_at} AS place_at, event_id
FROM {table} USE INDEX ({table_name}_dead)
WHERE dead_{stored_at} < COALESCE(DATEADD(MICROSECOND, 1, CAST(:after_at AS TIMESTAMP(6) WITH TIME ZONE)), TIMESTAMP WITH TIME ZONE '9999-12-31 00:00:00+00')
  AND (CAST(:after_at AS TIMESTAMP(6) WITH TIME ZONE) IS NULL OR dead_{stored_at} < CAST(:after_at AS TIMESTAMP(6) WITH TIME ZONE) OR event_id < :after_id)
  AND dead_{stored_at} < COALESCE(CAST(:to AS TIMESTAMP(6) WITH TIME ZONE), TIMESTAMP WITH TIME ZONE '9999-12-31 00:00:00+00')
ORDER BY dead_{stored_at} DESC, event_id DESC
LIMIT 1 OFFSET :skip

-- name: by_completion
SELECT e.event_id, {topic} AS topic, {tenant} AS tenant, status, owner_token, attempts,
       {stored_at} AS stored_at, available_at, due_at, done_at, replays, {own}, done_at AS place_at,
       0 AS leased,
       SUBSTRING(last_error, 1, CAST(:snippet AS INT)) AS error_snippet, listeners
FROM (
  SELECT event_id AS looked_id
  FROM {table} USE INDEX ({table_name}_done)
  WHERE status = 1 AND kept = :kept AND {users}
    AND done_at < COALESCE(DATEADD(MICROSECOND, 1, CAST(:after_at AS TIMESTAMP(6) WITH TIME ZONE)), TIMESTAMP WITH TIME ZONE '9999-12-31 00:00:00+00')
    AND (CAST(:after_at AS TIMESTAMP(6) WITH TIME ZONE) IS NULL OR done_at < CAST(:after_at AS TIMESTAMP(6) WITH TIME ZONE) OR event_id < :after_id)
    AND done_at >= COALESCE(CAST(:from AS TIMESTAMP(6) WITH TIME ZONE), TIMESTAMP WITH TIME ZONE '1000-01-01 00:00:00+00')
    AND done_at < COALESCE(CAST(:to AS TIMESTAMP(6) WITH TIME ZONE), TIMESTAMP WITH TIME ZONE '9999-12-31 00:00:00+00')
  ORDER BY done_at DESC, event_id DESC
  LIMIT :look
) AS looked_at
  INNER JOIN {table} AS e ON e.event_id = looked_id
WHERE status = 1
  AND (CAST(:topic AS VARCHAR) IS NULL OR {topic} = :topic)
  AND (CAST(:tenant AS VARCHAR) IS NULL OR {tenant} = :tenant)
  AND (CAST(:correlation AS VARCHAR) IS NULL OR {correlation} = :correlation)
  AND (CAST(:error AS VARCHAR) IS NULL OR LOCATE(:error, last_error) > 0)
ORDER BY done_at DESC, e.event_id DESC
LIMIT :limit

-- name: place_by_completion
SELECT done_at AS place_at, event_id
FROM {table} USE INDEX ({table_name}_done)
WHERE status = 1 AND kept = :kept AND {users}
  AND done_at < COALESCE(DATEADD(MICROSECOND, 1, CAST(:after_at AS TIMESTAMP(6) WITH TIME ZONE)), TIMESTAMP WITH TIME ZONE '9999-12-31 00:00:00+00')
  AND (CAST(:after_at AS TIMESTAMP(6) WITH TIME ZONE) IS NULL OR done_at < CAST(:after_at AS TIMESTAMP(6) WITH TIME ZONE) OR event_id < :after_id)
  AND done_at >= COALESCE(CAST(:from AS TIMESTAMP(6) WITH TIME ZONE), TIMESTAMP WITH TIME ZONE '1000-01-01 00:00:00+00')
  AND done_at < COALESCE(CAST(:to AS TIMESTAMP(6) WITH TIME ZONE), TIMESTAMP WITH TIME ZONE '9999-12-31 00:00:00+00')
ORDER BY done_at DESC, event_id DESC
LIMIT 1 OFFSET :skip

-- name: jump_by_completion
SELECT done_at AS place_at, event_id
FROM {table} USE INDEX ({table_name}_done)
WHERE status = 1 AND kept = :kept AND {users}
  AND done_at >= COALESCE(CAST(:from AS TIMESTAMP(6) WITH TIME ZONE), TIMESTAMP WITH TIME ZONE '1000-01-01 00:00:00+00')
  AND done_at < COALESCE(CAST(:to AS TIMESTAMP(6) WITH TIME ZONE), TIMESTAMP WITH TIME ZONE '9999-12-31 00:00:00+00')
ORDER BY done_at DESC, event_id DESC
LIMIT 1 OFFSET :skip

-- name: by_id
SELECT e.event_id, {topic} AS topic, {tenant} AS tenant, status, owner_token, attempts,
       {stored_at} AS stored_at, available_at, due_at, done_at, replays, {own}, {stored_at} AS place_at,
       CASE WHEN status IN (0, 2) AND owner_token IS NOT NULL AND available_at > {now}
            THEN 1 ELSE 0 END AS leased,
       SUBSTRING(last_error, 1, CAST(:snippet AS INT)) AS error_snippet, listeners
FROM (
  SELECT event_id AS looked_id
  FROM {table}
  WHERE (CAST(:after_id AS VARCHAR) IS NULL OR event_id < :after_id) AND ({users} OR status = 3)
  ORDER BY event_id DESC
  LIMIT :look
) AS looked_at
  INNER JOIN {table} AS e ON e.event_id = looked_id
WHERE (:status < 0 OR status = :status)
  AND (CAST(:topic AS VARCHAR) IS NULL OR {topic} = :topic)
  AND (CAST(:tenant AS VARCHAR) IS NULL OR {tenant} = :tenant)
  AND (CAST(:correlation AS VARCHAR) IS NULL OR {correlation} = :correlation)
  AND (CAST(:error AS VARCHAR) IS NULL OR LOCATE(:error, last_error) > 0)
  AND (CAST(:from AS TIMESTAMP(6) WITH TIME ZONE) IS NULL OR {stored_at} >= CAST(:from AS TIMESTAMP(6) WITH TIME ZONE))
  AND (CAST(:to AS TIMESTAMP(6) WITH TIME ZONE) IS NULL OR {stored_at} < CAST(:to AS TIMESTAMP(6) WITH TIME ZONE))
ORDER BY e.event_id DESC
LIMIT :limit

-- name: place_by_id
SELECT {stored_at} AS place_at, event_id
FROM {table}
WHERE (CAST(:after_id AS VARCHAR) IS NULL OR event_id < :after_id) AND ({users} OR status = 3)
ORDER BY event_id DESC
LIMIT 1 OFFSET :skip

-- name: one
SELECT event_id, {topic} AS topic, {tenant} AS tenant, status, owner_token, attempts, {stored_at} AS stored_at,
       available_at, due_at, done_at, replays, {own},
       CASE WHEN status IN (0, 2) AND owner_token IS NOT NULL AND available_at > {now}
            THEN 1 ELSE 0 END AS leased,
       SUBSTRING(last_error, 1, CAST(:snippet AS INT)) AS error_snippet, listeners,
       last_error, headers, kept, processed_by, lease_expiries, replayed_at, replayed_by,
       OCTET_LENGTH({payload_text}) AS text_size, OCTET_LENGTH({payload_bytes}) AS bytes_size
FROM {table}
WHERE event_id = :id

-- name: payload
SELECT SUBSTRING({payload_text}, 1, CAST(:most AS INT)) AS payload_text, {payload_bytes} AS payload_bytes
FROM {table}
WHERE event_id = :id

-- name: version1_payload
-- Only asked for if the others are missing and were not cleared: then the column is there.
SELECT SUBSTRING(CAST(payload AS VARCHAR), 1, CAST(:most AS INT)) AS payload_text, CAST(NULL AS VARBINARY) AS payload_bytes
FROM {table}
WHERE event_id = :id

-- name: defer
-- Only the holder moves available_at of a row that is leased; a lease that has run out holds nothing.
UPDATE {table}
SET due_at = DATEADD(MICROSECOND, :delay, {now}),
    available_at = CASE WHEN owner_token IS NULL OR available_at <= {now}
                        THEN DATEADD(MICROSECOND, :delay, {now}) ELSE available_at END,
    started = CASE WHEN owner_token IS NOT NULL AND available_at <= {now} THEN 1 ELSE started END,
    owner_token = CASE WHEN available_at <= {now} THEN NULL ELSE owner_token END
WHERE event_id IN (:ids...) AND status IN (0, 2)

-- name: release
UPDATE {table}
SET due_at = NULL, available_at = {now},
    started = CASE WHEN owner_token IS NOT NULL OR started > 0 THEN 1 ELSE 0 END,
    owner_token = NULL
WHERE event_id IN (:ids...) AND status IN (0, 2)

-- name: storage
SELECT CAST(NULL AS BIGINT) AS dead_tuples, CAST(NULL AS BIGINT) AS table_bytes,
       CAST(NULL AS BIGINT) AS index_bytes, CAST(NULL AS BIGINT) AS oldest_snapshot_ms
