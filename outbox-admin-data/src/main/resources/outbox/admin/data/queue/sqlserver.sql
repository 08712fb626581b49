-- What operators ask the table of an outbox or an inbox on SQL Server. {table} and {now} are put in when the
-- file is loaded, and so are the names in which the two differ: {topic}, {tenant} (of an inbox: the source),
-- {stored_at}, {correlation}, {own} for the columns that only one of them has, {users} for the condition that
-- tells the messages of users from those that the library sends to itself. :name is a parameter.
-- Lists: the inner select finds the next :look rows in the order of one index, beginning behind the
-- place of the page before; the outer one reads and filters them. So no filter makes a page read more than that.

-- name: probe
SELECT event_id, {topic}, kept, replays FROM {table} WHERE 1 = 0

-- name: clock
SELECT {now} AS now

-- name: estimate
SELECT {now} AS now,
  (SELECT SUM(p.rows)
   FROM sys.partitions AS p
     INNER JOIN sys.indexes AS i ON i.object_id = p.object_id AND i.index_id = p.index_id
   WHERE p.object_id = OBJECT_ID(N'{table}') AND i.name = N'idx_claim') AS pending,
  (SELECT SUM(p.rows)
   FROM sys.partitions AS p
     INNER JOIN sys.indexes AS i ON i.object_id = p.object_id AND i.index_id = p.index_id
   WHERE p.object_id = OBJECT_ID(N'{table}') AND i.name IN (N'{table_name}_dead', N'idx_dead')) AS dead

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
              AND available_at > DATEADD(MICROSECOND, -CAST(:window % 1000000 AS INT),
      DATEADD(SECOND, -CAST(:window / 1000000 AS INT), {now})) THEN 1 END) AS died,
  MIN(CASE WHEN kind < 3 AND due_at > stored_at AND due_at <= {now} THEN due_at
           WHEN kind < 3 AND (due_at IS NULL OR due_at <= {now}) THEN stored_at END) AS oldest
FROM (
  SELECT * FROM (SELECT TOP (:limit) 1 AS kind, {topic} AS topic, {tenant} AS tenant, owner_token, attempts,
          CASE WHEN last_error IS NULL THEN 0 ELSE 1 END AS failed, {stored_at} AS stored_at, due_at, available_at
   FROM {table} WITH (INDEX (idx_claim))
   WHERE status IN (0, 2) AND available_at >= CAST('1000-01-01' AS DATETIME2(6)) AND available_at <= {now}
   ORDER BY available_at, event_id) AS part1
  UNION ALL
  SELECT * FROM (SELECT TOP (:limit) 2 AS kind, {topic} AS topic, {tenant} AS tenant, owner_token, attempts,
          CASE WHEN last_error IS NULL THEN 0 ELSE 1 END AS failed, {stored_at} AS stored_at, due_at, available_at
   FROM {table} WITH (INDEX (idx_claim))
   WHERE status IN (0, 2) AND available_at > {now}
   ORDER BY available_at, event_id) AS part2
  UNION ALL
  SELECT * FROM (SELECT TOP (:limit) 3 AS kind, {topic} AS topic, {tenant} AS tenant, owner_token, attempts,
          1 AS failed, {stored_at} AS stored_at, due_at, available_at
   FROM {table}
   WHERE status = 3 AND {stored_at} <= CAST('9999-12-31' AS DATETIME2(6))
   ORDER BY {stored_at} DESC, event_id DESC) AS part3
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
  SELECT TOP (:limit) CASE WHEN {users} THEN 1 ELSE 0 END AS users, owner_token, {stored_at} AS stored_at, due_at, available_at
  FROM {table} WITH (INDEX (idx_claim))
  WHERE status IN (0, 2)
    AND available_at >= COALESCE(CAST(:after_at AS DATETIME2(6)), CAST('1000-01-01' AS DATETIME2(6)))
    AND (CAST(:after_at AS DATETIME2(6)) IS NULL OR available_at > CAST(:after_at AS DATETIME2(6)) OR event_id > :after_id)
  ORDER BY available_at, event_id
) AS stretch
OPTION (RECOMPILE)

-- name: stretch_end
SELECT available_at AS place_at, event_id
FROM {table} WITH (INDEX (idx_claim))
WHERE status IN (0, 2)
  AND available_at >= COALESCE(CAST(:after_at AS DATETIME2(6)), CAST('1000-01-01' AS DATETIME2(6)))
  AND (CAST(:after_at AS DATETIME2(6)) IS NULL OR available_at > CAST(:after_at AS DATETIME2(6)) OR event_id > :after_id)
ORDER BY available_at, event_id
OFFSET :skip ROWS FETCH NEXT 1 ROWS ONLY
OPTION (RECOMPILE)

-- name: due_count
-- Where no message is internal the index alone tells how many are due.
SELECT COUNT(*) AS due
FROM (
  SELECT TOP (:limit) event_id FROM {table} WITH (INDEX (idx_claim))
  WHERE status IN (0, 2) AND available_at >= CAST('1000-01-01' AS DATETIME2(6)) AND available_at <= {now}
) AS counted

-- name: dead_count
SELECT COUNT(*) AS dead
FROM (
  SELECT TOP (:limit) event_id FROM {table}
  WHERE status = 3 AND {stored_at} <= CAST('9999-12-31' AS DATETIME2(6))
) AS counted

-- name: completed
SELECT COUNT(*) AS looked_at, COUNT(CASE WHEN users = 1 THEN 1 END) AS completed, MIN(done_at) AS since
FROM (
  SELECT TOP (:limit) done_at, CASE WHEN {users} THEN 1 ELSE 0 END AS users
  FROM {table}
  WHERE status = 1 AND kept = 1 AND done_at > DATEADD(MICROSECOND, -CAST(:window % 1000000 AS INT),
      DATEADD(SECOND, -CAST(:window / 1000000 AS INT), {now}))
  ORDER BY done_at DESC
) AS newest

-- name: leases
SELECT owner_token, COUNT(*) AS leases, MIN(stored_at) AS oldest, MIN(available_at) AS next_expiry
FROM (
  SELECT TOP (:limit) owner_token, {stored_at} AS stored_at, available_at,
         CASE WHEN {users} THEN 1 ELSE 0 END AS users
  FROM {table} WITH (INDEX (idx_claim))
  WHERE status IN (0, 2) AND available_at > {now}
  ORDER BY available_at, event_id
) AS later
WHERE owner_token IS NOT NULL AND users = 1
GROUP BY owner_token

-- name: by_turn
SELECT TOP (:limit) e.event_id, {topic} AS topic, {tenant} AS tenant, status, owner_token, attempts,
       {stored_at} AS stored_at, available_at, due_at, done_at, replays, {own}, available_at AS place_at,
       CASE WHEN owner_token IS NOT NULL AND available_at > {now} THEN 1 ELSE 0 END AS leased,
       SUBSTRING(last_error, 1, :snippet) AS error_snippet, listeners
FROM (
  SELECT TOP (:look) event_id AS looked_id
  FROM {table} WITH (INDEX (idx_claim))
  WHERE status IN (0, 2) AND {users}
    AND available_at >= COALESCE(CAST(:after_at AS DATETIME2(6)), CAST('1000-01-01' AS DATETIME2(6)))
    AND (CAST(:after_at AS DATETIME2(6)) IS NULL OR available_at > CAST(:after_at AS DATETIME2(6)) OR event_id > :after_id)
  ORDER BY available_at, event_id
) AS looked_at
  INNER JOIN {table} AS e ON e.event_id = looked_id
WHERE (:status < 0 OR status = :status)
  AND (:held < 0 OR (:held = 0 AND owner_token IS NULL) OR (:held = 1 AND owner_token IS NOT NULL))
  AND (CAST(:owner AS NVARCHAR(4000)) IS NULL OR owner_token = :owner
       OR CHARINDEX(CONCAT(:owner, N'.'), owner_token) = 1)
  AND (CAST(:topic AS NVARCHAR(4000)) IS NULL OR {topic} = :topic)
  AND (CAST(:tenant AS NVARCHAR(4000)) IS NULL OR {tenant} = :tenant)
  AND (CAST(:correlation AS NVARCHAR(4000)) IS NULL OR {correlation} = :correlation)
  AND (CAST(:error AS NVARCHAR(4000)) IS NULL OR CHARINDEX(:error, last_error) > 0)
  AND (CAST(:from AS DATETIME2(6)) IS NULL OR {stored_at} >= CAST(:from AS DATETIME2(6)))
  AND (CAST(:to AS DATETIME2(6)) IS NULL OR {stored_at} < CAST(:to AS DATETIME2(6)))
ORDER BY available_at, e.event_id
OPTION (RECOMPILE)

-- name: place_by_turn
SELECT available_at AS place_at, event_id
FROM {table} WITH (INDEX (idx_claim))
WHERE status IN (0, 2) AND {users}
  AND available_at >= COALESCE(CAST(:after_at AS DATETIME2(6)), CAST('1000-01-01' AS DATETIME2(6)))
  AND (CAST(:after_at AS DATETIME2(6)) IS NULL OR available_at > CAST(:after_at AS DATETIME2(6)) OR event_id > :after_id)
ORDER BY available_at, event_id
OFFSET :skip ROWS FETCH NEXT 1 ROWS ONLY
OPTION (RECOMPILE)

-- name: by_death
SELECT TOP (:limit) e.event_id, {topic} AS topic, {tenant} AS tenant, status, owner_token, attempts,
       {stored_at} AS stored_at, available_at, due_at, done_at, replays, {own}, {stored_at} AS place_at,
       0 AS leased,
       SUBSTRING(last_error, 1, :snippet) AS error_snippet, listeners
FROM (
  SELECT TOP (:look) event_id AS looked_id
  FROM {table}
  WHERE status = 3
    AND {stored_at} <= COALESCE(CAST(:after_at AS DATETIME2(6)), CAST('9999-12-31' AS DATETIME2(6)))
    AND (CAST(:after_at AS DATETIME2(6)) IS NULL OR {stored_at} < CAST(:after_at AS DATETIME2(6)) OR event_id < :after_id)
    AND {stored_at} < COALESCE(CAST(:to AS DATETIME2(6)), CAST('9999-12-31' AS DATETIME2(6)))
  ORDER BY {stored_at} DESC, event_id DESC
) AS looked_at
  INNER JOIN {table} AS e ON e.event_id = looked_id
WHERE status = 3
  AND (CAST(:topic AS NVARCHAR(4000)) IS NULL OR {topic} = :topic)
  AND (CAST(:tenant AS NVARCHAR(4000)) IS NULL OR {tenant} = :tenant)
  AND (CAST(:correlation AS NVARCHAR(4000)) IS NULL OR {correlation} = :correlation)
  AND (CAST(:error AS NVARCHAR(4000)) IS NULL OR CHARINDEX(:error, last_error) > 0)
  AND (CAST(:from AS DATETIME2(6)) IS NULL OR available_at >= CAST(:from AS DATETIME2(6)))
  AND (CAST(:to AS DATETIME2(6)) IS NULL OR available_at < CAST(:to AS DATETIME2(6)))
ORDER BY {stored_at} DESC, e.event_id DESC
OPTION (RECOMPILE)

-- name: place_by_death
SELECT {stored_at} AS place_at, event_id
FROM {table}
WHERE status = 3
  AND {stored_at} <= COALESCE(CAST(:after_at AS DATETIME2(6)), CAST('9999-12-31' AS DATETIME2(6)))
  AND (CAST(:after_at AS DATETIME2(6)) IS NULL OR {stored_at} < CAST(:after_at AS DATETIME2(6)) OR event_id < :after_id)
  AND {stored_at} < COALESCE(CAST(:to AS DATETIME2(6)), CAST('9999-12-31' AS DATETIME2(6)))
ORDER BY {stored_at} DESC, event_id DESC
OFFSET :skip ROWS FETCH NEXT 1 ROWS ONLY
OPTION (RECOMPILE)

-- name: by_completion
SELECT TOP (:limit) e.event_id, {topic} AS topic, {tenant} AS tenant, status, owner_token, attempts,
       {stored_at} AS stored_at, available_at, due_at, done_at, replays, {own}, done_at AS place_at,
       0 AS leased,
       SUBSTRING(last_error, 1, :snippet) AS error_snippet, listeners
FROM (
  SELECT TOP (:look) event_id AS looked_id
  FROM {table}
  WHERE status = 1 AND kept = :kept AND {users}
    AND done_at <= COALESCE(CAST(:after_at AS DATETIME2(6)), CAST('9999-12-31' AS DATETIME2(6)))
    AND (CAST(:after_at AS DATETIME2(6)) IS NULL OR done_at < CAST(:after_at AS DATETIME2(6)) OR event_id < :after_id)
    AND done_at >= COALESCE(CAST(:from AS DATETIME2(6)), CAST('1000-01-01' AS DATETIME2(6)))
    AND done_at < COALESCE(CAST(:to AS DATETIME2(6)), CAST('9999-12-31' AS DATETIME2(6)))
  ORDER BY done_at DESC, event_id DESC
) AS looked_at
  INNER JOIN {table} AS e ON e.event_id = looked_id
WHERE status = 1
  AND (CAST(:topic AS NVARCHAR(4000)) IS NULL OR {topic} = :topic)
  AND (CAST(:tenant AS NVARCHAR(4000)) IS NULL OR {tenant} = :tenant)
  AND (CAST(:correlation AS NVARCHAR(4000)) IS NULL OR {correlation} = :correlation)
  AND (CAST(:error AS NVARCHAR(4000)) IS NULL OR CHARINDEX(:error, last_error) > 0)
ORDER BY done_at DESC, e.event_id DESC
OPTION (RECOMPILE)

-- name: place_by_completion
SELECT done_at AS place_at, event_id
FROM {table}
WHERE status = 1 AND kept = :kept AND {users}
  AND done_at <= COALESCE(CAST(:after_at AS DATETIME2(6)), CAST('9999-12-31' AS DATETIME2(6)))
  AND (CAST(:after_at AS DATETIME2(6)) IS NULL OR done_at < CAST(:after_at AS DATETIME2(6)) OR event_id < :after_id)
  AND done_at >= COALESCE(CAST(:from AS DATETIME2(6)), CAST('1000-01-01' AS DATETIME2(6)))
  AND done_at < COALESCE(CAST(:to AS DATETIME2(6)), CAST('9999-12-31' AS DATETIME2(6)))
ORDER BY done_at DESC, event_id DESC
OFFSET :skip ROWS FETCH NEXT 1 ROWS ONLY
OPTION (RECOMPILE)

-- name: jump_by_completion
SELECT done_at AS place_at, event_id
FROM {table}
WHERE status = 1 AND kept = :kept AND {users}
  AND done_at >= COALESCE(CAST(:from AS DATETIME2(6)), CAST('1000-01-01' AS DATETIME2(6)))
  AND done_at < COALESCE(CAST(:to AS DATETIME2(6)), CAST('9999-12-31' AS DATETIME2(6)))
ORDER BY done_at DESC, event_id DESC
OFFSET :skip ROWS FETCH NEXT 1 ROWS ONLY
OPTION (RECOMPILE)

-- name: by_id
SELECT TOP (:limit) e.event_id, {topic} AS topic, {tenant} AS tenant, status, owner_token, attempts,
       {stored_at} AS stored_at, available_at, due_at, done_at, replays, {own}, {stored_at} AS place_at,
       CASE WHEN status IN (0, 2) AND owner_token IS NOT NULL AND available_at > {now}
            THEN 1 ELSE 0 END AS leased,
       SUBSTRING(last_error, 1, :snippet) AS error_snippet, listeners
FROM (
  SELECT TOP (:look) event_id AS looked_id
  FROM {table}
  WHERE (CAST(:after_id AS NVARCHAR(4000)) IS NULL OR event_id < :after_id) AND ({users} OR status = 3)
  ORDER BY event_id DESC
) AS looked_at
  INNER JOIN {table} AS e ON e.event_id = looked_id
WHERE (:status < 0 OR status = :status)
  AND (CAST(:topic AS NVARCHAR(4000)) IS NULL OR {topic} = :topic)
  AND (CAST(:tenant AS NVARCHAR(4000)) IS NULL OR {tenant} = :tenant)
  AND (CAST(:correlation AS NVARCHAR(4000)) IS NULL OR {correlation} = :correlation)
  AND (CAST(:error AS NVARCHAR(4000)) IS NULL OR CHARINDEX(:error, last_error) > 0)
  AND (CAST(:from AS DATETIME2(6)) IS NULL OR {stored_at} >= CAST(:from AS DATETIME2(6)))
  AND (CAST(:to AS DATETIME2(6)) IS NULL OR {stored_at} < CAST(:to AS DATETIME2(6)))
ORDER BY e.event_id DESC
OPTION (RECOMPILE)

-- name: place_by_id
SELECT {stored_at} AS place_at, event_id
FROM {table}
WHERE (CAST(:after_id AS NVARCHAR(4000)) IS NULL OR event_id < :after_id) AND ({users} OR status = 3)
ORDER BY event_id DESC
OFFSET :skip ROWS FETCH NEXT 1 ROWS ONLY
OPTION (RECOMPILE)

-- name: one
SELECT event_id, {topic} AS topic, {tenant} AS tenant, status, owner_token, attempts, {stored_at} AS stored_at,
       available_at, due_at, done_at, replays, {own},
       CASE WHEN status IN (0, 2) AND owner_token IS NOT NULL AND available_at > {now}
            THEN 1 ELSE 0 END AS leased,
       SUBSTRING(last_error, 1, :snippet) AS error_snippet, listeners,
       last_error, headers, kept, processed_by, lease_expiries, replayed_at, replayed_by,
       DATALENGTH({payload_text}) AS text_size, DATALENGTH({payload_bytes}) AS bytes_size
FROM {table}
WHERE event_id = :id

-- name: payload
SELECT SUBSTRING({payload_text}, 1, :most) AS payload_text, SUBSTRING({payload_bytes}, 1, :most) AS payload_bytes
FROM {table}
WHERE event_id = :id

-- name: version1_payload
-- Only asked for if the others are missing and were not cleared: then the column is there.
SELECT SUBSTRING(payload, 1, :most) AS payload_text, CAST(NULL AS VARBINARY(MAX)) AS payload_bytes
FROM {table}
WHERE event_id = :id

-- name: defer
-- Only the holder moves available_at of a row that is leased; a lease that has run out holds nothing.
UPDATE {table}
SET due_at = DATEADD(MICROSECOND, CAST(:delay % 1000000 AS INT),
      DATEADD(SECOND, CAST(:delay / 1000000 AS INT), {now})),
    available_at = CASE WHEN owner_token IS NULL OR available_at <= {now}
                        THEN DATEADD(MICROSECOND, CAST(:delay % 1000000 AS INT),
      DATEADD(SECOND, CAST(:delay / 1000000 AS INT), {now})) ELSE available_at END,
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
SELECT CAST(NULL AS BIGINT) AS dead_tuples,
  (SELECT SUM(a.used_pages) * CAST(8192 AS BIGINT)
   FROM sys.partitions AS p INNER JOIN sys.allocation_units AS a ON a.container_id = p.partition_id
   WHERE p.object_id = OBJECT_ID(N'{table}') AND p.index_id IN (0, 1)) AS table_bytes,
  (SELECT SUM(a.used_pages) * CAST(8192 AS BIGINT)
   FROM sys.partitions AS p INNER JOIN sys.allocation_units AS a ON a.container_id = p.partition_id
   WHERE p.object_id = OBJECT_ID(N'{table}') AND p.index_id > 1) AS index_bytes,
  CAST(NULL AS BIGINT) AS oldest_snapshot_ms
