-- What operators ask the table of an outbox or an inbox on PostgreSQL. {table} and {now} are put in when the
-- file is loaded, and so are the names in which the two differ: {topic}, {tenant} (of an inbox: the source),
-- {stored_at}, {correlation}, {own} for the columns that only one of them has, {users} for the condition that
-- tells the messages of users from those that the library sends to itself. :name is a parameter.
-- Lists: the inner select reads the next :look rows in the order of one index, beginning behind the
-- place of the page before; the outer one filters them. So no filter makes a page read more than that.

-- name: probe
SELECT event_id, {topic}, kept, replays FROM {table} WHERE 1 = 0

-- name: clock
SELECT {now} AS now

-- name: estimate
-- What vacuum and analyze last counted; -1 before the first time.
SELECT {now} AS now,
  (SELECT CAST(c.reltuples AS bigint)
   FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid
   WHERE i.indrelid = to_regclass('{table}') AND c.relname = lower('{table_name}_claim')) AS pending,
  (SELECT CAST(c.reltuples AS bigint)
   FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid
   WHERE i.indrelid = to_regclass('{table}') AND c.relname = lower('{table_name}_dead')) AS dead

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
              AND available_at > {now} - :window * INTERVAL '1 microsecond' THEN 1 END) AS died,
  MIN(CASE WHEN kind < 3 AND due_at > stored_at AND due_at <= {now} THEN due_at
           WHEN kind < 3 AND (due_at IS NULL OR due_at <= {now}) THEN stored_at END) AS oldest
FROM (
  (SELECT 1 AS kind, {topic} AS topic, {tenant} AS tenant, owner_token, attempts,
          CASE WHEN last_error IS NULL THEN 0 ELSE 1 END AS failed, {stored_at} AS stored_at, due_at,
          available_at
   FROM {table}
   WHERE status IN (0, 2) AND available_at > '-infinity' AND available_at <= {now}
   ORDER BY available_at, event_id
   LIMIT :limit)
  UNION ALL
  (SELECT 2, {topic}, {tenant}, owner_token, attempts,
          CASE WHEN last_error IS NULL THEN 0 ELSE 1 END, {stored_at}, due_at, available_at
   FROM {table}
   WHERE status IN (0, 2) AND available_at > {now}
   ORDER BY available_at, event_id
   LIMIT :limit)
  UNION ALL
  (SELECT 3, {topic}, {tenant}, owner_token, attempts, 1, {stored_at}, due_at, available_at
   FROM {table}
   WHERE status = 3
   ORDER BY {stored_at} DESC, event_id DESC
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
  FROM {table}
  WHERE status IN (0, 2)
    AND (available_at, event_id)
        > (COALESCE(CAST(:after_at AS timestamptz), '-infinity'), COALESCE(:after_id, ''))
  ORDER BY available_at, event_id
  LIMIT :limit
) AS stretch

-- name: stretch_end
SELECT available_at AS place_at, event_id
FROM {table}
WHERE status IN (0, 2)
  AND (available_at, event_id)
      > (COALESCE(CAST(:after_at AS timestamptz), '-infinity'), COALESCE(:after_id, ''))
ORDER BY available_at, event_id
LIMIT 1 OFFSET :skip

-- name: due_count
-- Where no message is internal the index alone tells how many are due.
SELECT COUNT(*) AS due
FROM (
  SELECT event_id FROM {table}
  WHERE status IN (0, 2) AND available_at > '-infinity' AND available_at <= {now}
  ORDER BY available_at, event_id
  LIMIT :limit
) AS counted

-- name: dead_count
SELECT COUNT(*) AS dead
FROM (
  SELECT event_id FROM {table}
  WHERE status = 3
  ORDER BY {stored_at} DESC, event_id DESC
  LIMIT :limit
) AS counted

-- name: completed
SELECT COUNT(*) AS looked_at, COUNT(CASE WHEN users = 1 THEN 1 END) AS completed, MIN(done_at) AS since
FROM (
  SELECT done_at, CASE WHEN {users} THEN 1 ELSE 0 END AS users
  FROM {table}
  WHERE status = 1 AND kept = 1 AND done_at > {now} - :window * INTERVAL '1 microsecond'
  ORDER BY done_at DESC
  LIMIT :limit
) AS newest

-- name: leases
SELECT owner_token, COUNT(*) AS leases, MIN(stored_at) AS oldest, MIN(available_at) AS next_expiry
FROM (
  SELECT owner_token, {stored_at} AS stored_at, available_at,
         CASE WHEN {users} THEN 1 ELSE 0 END AS users
  FROM {table}
  WHERE status IN (0, 2) AND available_at > {now}
  ORDER BY available_at, event_id
  LIMIT :limit
) AS later
WHERE owner_token IS NOT NULL AND users = 1
GROUP BY owner_token

-- name: by_turn
SELECT event_id, {topic} AS topic, {tenant} AS tenant, status, owner_token, attempts, {stored_at} AS stored_at,
       available_at, due_at, done_at, replays, {own}, available_at AS place_at,
       CASE WHEN owner_token IS NOT NULL AND available_at > {now} THEN 1 ELSE 0 END AS leased,
       substr(last_error, 1, CAST(:snippet AS int)) AS error_snippet, listeners
FROM (
  SELECT * FROM {table}
  WHERE status IN (0, 2) AND {users}
    AND (available_at, event_id)
        > (COALESCE(CAST(:after_at AS timestamptz), '-infinity'), COALESCE(:after_id, ''))
  ORDER BY available_at, event_id
  LIMIT :look
) AS looked_at
WHERE (:status < 0 OR status = :status)
  AND (:held < 0 OR (:held = 0 AND owner_token IS NULL) OR (:held = 1 AND owner_token IS NOT NULL))
  AND (CAST(:owner AS text) IS NULL OR owner_token = :owner OR strpos(owner_token, :owner || '.') = 1)
  AND (CAST(:topic AS text) IS NULL OR {topic} = :topic)
  AND (CAST(:tenant AS text) IS NULL OR {tenant} = :tenant)
  AND (CAST(:correlation AS text) IS NULL OR {correlation} = :correlation)
  AND (CAST(:error AS text) IS NULL OR strpos(last_error, :error) > 0)
  AND (CAST(:from AS timestamptz) IS NULL OR {stored_at} >= CAST(:from AS timestamptz))
  AND (CAST(:to AS timestamptz) IS NULL OR {stored_at} < CAST(:to AS timestamptz))
ORDER BY available_at, event_id
LIMIT :limit

-- name: place_by_turn
SELECT available_at AS place_at, event_id
FROM {table}
WHERE status IN (0, 2) AND {users}
  AND (available_at, event_id)
      > (COALESCE(CAST(:after_at AS timestamptz), '-infinity'), COALESCE(:after_id, ''))
ORDER BY available_at, event_id
LIMIT 1 OFFSET :skip

-- name: by_death
SELECT event_id, {topic} AS topic, {tenant} AS tenant, status, owner_token, attempts, {stored_at} AS stored_at,
       available_at, due_at, done_at, replays, {own}, {stored_at} AS place_at, 0 AS leased,
       substr(last_error, 1, CAST(:snippet AS int)) AS error_snippet, listeners
FROM (
  SELECT * FROM {table}
  WHERE status = 3
    AND ({stored_at}, event_id)
        < (COALESCE(CAST(:after_at AS timestamptz), 'infinity'), COALESCE(:after_id, ''))
    AND {stored_at} < COALESCE(CAST(:to AS timestamptz), 'infinity')
  ORDER BY {stored_at} DESC, event_id DESC
  LIMIT :look
) AS looked_at
WHERE (CAST(:topic AS text) IS NULL OR {topic} = :topic)
  AND (CAST(:tenant AS text) IS NULL OR {tenant} = :tenant)
  AND (CAST(:correlation AS text) IS NULL OR {correlation} = :correlation)
  AND (CAST(:error AS text) IS NULL OR strpos(last_error, :error) > 0)
  AND (CAST(:from AS timestamptz) IS NULL OR available_at >= CAST(:from AS timestamptz))
  AND (CAST(:to AS timestamptz) IS NULL OR available_at < CAST(:to AS timestamptz))
ORDER BY {stored_at} DESC, event_id DESC
LIMIT :limit

-- name: place_by_death
SELECT {stored_at} AS place_at, event_id
FROM {table}
WHERE status = 3
  AND ({stored_at}, event_id)
      < (COALESCE(CAST(:after_at AS timestamptz), 'infinity'), COALESCE(:after_id, ''))
  AND {stored_at} < COALESCE(CAST(:to AS timestamptz), 'infinity')
ORDER BY {stored_at} DESC, event_id DESC
LIMIT 1 OFFSET :skip

-- name: by_completion
SELECT event_id, {topic} AS topic, {tenant} AS tenant, status, owner_token, attempts, {stored_at} AS stored_at,
       available_at, due_at, done_at, replays, {own}, done_at AS place_at, 0 AS leased,
       substr(last_error, 1, CAST(:snippet AS int)) AS error_snippet, listeners
FROM (
  SELECT * FROM {table}
  WHERE status = 1 AND kept = :kept AND {users}
    AND done_at <= COALESCE(CAST(:after_at AS timestamptz), 'infinity')
    AND (done_at, event_id)
        < (COALESCE(CAST(:after_at AS timestamptz), 'infinity'), COALESCE(:after_id, ''))
    AND done_at >= COALESCE(CAST(:from AS timestamptz), '-infinity')
    AND done_at < COALESCE(CAST(:to AS timestamptz), 'infinity')
  ORDER BY done_at DESC, event_id DESC
  LIMIT :look
) AS looked_at
WHERE (CAST(:topic AS text) IS NULL OR {topic} = :topic)
  AND (CAST(:tenant AS text) IS NULL OR {tenant} = :tenant)
  AND (CAST(:correlation AS text) IS NULL OR {correlation} = :correlation)
  AND (CAST(:error AS text) IS NULL OR strpos(last_error, :error) > 0)
ORDER BY done_at DESC, event_id DESC
LIMIT :limit

-- name: place_by_completion
SELECT done_at AS place_at, event_id
FROM {table}
WHERE status = 1 AND kept = :kept AND {users}
  AND done_at <= COALESCE(CAST(:after_at AS timestamptz), 'infinity')
  AND (done_at, event_id)
      < (COALESCE(CAST(:after_at AS timestamptz), 'infinity'), COALESCE(:after_id, ''))
  AND done_at >= COALESCE(CAST(:from AS timestamptz), '-infinity')
  AND done_at < COALESCE(CAST(:to AS timestamptz), 'infinity')
ORDER BY done_at DESC, event_id DESC
LIMIT 1 OFFSET :skip

-- name: jump_by_completion
-- The first part tells the time of the place, and how far into the rows of that time it is.
WITH skipped AS MATERIALIZED (
  SELECT done_at FROM {table}
  WHERE status = 1 AND kept = :kept AND {users}
    AND done_at >= COALESCE(CAST(:from AS timestamptz), '-infinity')
    AND done_at < COALESCE(CAST(:to AS timestamptz), 'infinity')
  ORDER BY done_at DESC
  LIMIT :skip + 1
)
SELECT done_at AS place_at, event_id
FROM {table}
WHERE status = 1 AND kept = :kept AND {users}
  AND done_at = (SELECT MIN(done_at) FROM skipped)
  AND (SELECT COUNT(*) FROM skipped) > :skip
ORDER BY event_id DESC
LIMIT 1
OFFSET GREATEST(
  0, (SELECT COUNT(*) FROM skipped WHERE done_at = (SELECT MIN(done_at) FROM skipped)) - 1)

-- name: by_id
SELECT event_id, {topic} AS topic, {tenant} AS tenant, status, owner_token, attempts, {stored_at} AS stored_at,
       available_at, due_at, done_at, replays, {own}, {stored_at} AS place_at,
       CASE WHEN status IN (0, 2) AND owner_token IS NOT NULL AND available_at > {now}
            THEN 1 ELSE 0 END AS leased,
       substr(last_error, 1, CAST(:snippet AS int)) AS error_snippet, listeners
FROM (
  SELECT * FROM {table}
  WHERE (CAST(:after_id AS text) IS NULL OR event_id < :after_id) AND ({users} OR status = 3)
  ORDER BY event_id DESC
  LIMIT :look
) AS looked_at
WHERE (:status < 0 OR status = :status)
  AND (CAST(:topic AS text) IS NULL OR {topic} = :topic)
  AND (CAST(:tenant AS text) IS NULL OR {tenant} = :tenant)
  AND (CAST(:correlation AS text) IS NULL OR {correlation} = :correlation)
  AND (CAST(:error AS text) IS NULL OR strpos(last_error, :error) > 0)
  AND (CAST(:from AS timestamptz) IS NULL OR {stored_at} >= CAST(:from AS timestamptz))
  AND (CAST(:to AS timestamptz) IS NULL OR {stored_at} < CAST(:to AS timestamptz))
ORDER BY event_id DESC
LIMIT :limit

-- name: place_by_id
SELECT {stored_at} AS place_at, event_id
FROM {table}
WHERE event_id = (
  SELECT event_id FROM {table}
  WHERE (CAST(:after_id AS text) IS NULL OR event_id < :after_id) AND ({users} OR status = 3)
  ORDER BY event_id DESC
  LIMIT 1 OFFSET :skip)

-- name: one
SELECT event_id, {topic} AS topic, {tenant} AS tenant, status, owner_token, attempts, {stored_at} AS stored_at,
       available_at, due_at, done_at, replays, {own},
       CASE WHEN status IN (0, 2) AND owner_token IS NOT NULL AND available_at > {now}
            THEN 1 ELSE 0 END AS leased,
       substr(last_error, 1, CAST(:snippet AS int)) AS error_snippet, listeners,
       last_error, headers, kept, processed_by, lease_expiries, replayed_at, replayed_by,
       octet_length({payload_text}) AS text_size, octet_length({payload_bytes}) AS bytes_size
FROM {table}
WHERE event_id = :id

-- name: payload
SELECT substr({payload_text}, 1, CAST(:most AS int)) AS payload_text, substr({payload_bytes}, 1, CAST(:most AS int)) AS payload_bytes
FROM {table}
WHERE event_id = :id

-- name: version1_payload
-- Only asked for if the others are missing and were not cleared: then the column is there.
SELECT substr(CAST(payload AS text), 1, CAST(:most AS int)) AS payload_text,
       CAST(NULL AS bytea) AS payload_bytes
FROM {table}
WHERE event_id = :id

-- name: defer
-- Only the holder moves available_at of a row that is leased; a lease that has run out holds nothing.
UPDATE {table}
SET due_at = {now} + :delay * INTERVAL '1 microsecond',
    available_at = CASE WHEN owner_token IS NULL OR available_at <= {now}
                        THEN {now} + :delay * INTERVAL '1 microsecond' ELSE available_at END,
    started = CASE WHEN owner_token IS NOT NULL AND available_at <= {now} THEN 1 ELSE started END,
    owner_token = CASE WHEN available_at <= {now} THEN NULL ELSE owner_token END
WHERE event_id = ANY (:ids) AND status NOT IN (1, 3, 4, 5)

-- name: release
UPDATE {table}
SET due_at = NULL, available_at = {now},
    started = CASE WHEN owner_token IS NOT NULL OR started > 0 THEN 1 ELSE 0 END,
    owner_token = NULL
WHERE event_id = ANY (:ids) AND status NOT IN (1, 3, 4, 5)

-- name: storage
SELECT (SELECT n_dead_tup FROM pg_stat_user_tables WHERE relid = to_regclass('{table}')) AS dead_tuples,
  pg_table_size(to_regclass('{table}')) AS table_bytes,
  pg_indexes_size(to_regclass('{table}')) AS index_bytes,
  (SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp() - MIN(xact_start)) * 1000 AS bigint)
   FROM pg_stat_activity
   WHERE backend_xmin IS NOT NULL AND pid <> pg_backend_pid()) AS oldest_snapshot_ms
