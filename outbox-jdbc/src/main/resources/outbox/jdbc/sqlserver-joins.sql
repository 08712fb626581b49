-- The statements of the joins on SQL Server. {table}, {joins}, {members}, {waits} and {now} are put in
-- when the file is loaded, :name is a parameter, :ids... a list of them. Durations are microseconds;
-- DATEADD takes an INT, so they are added in two steps. Locks: messages by id, joins by id, waiting
-- messages.

-- name: insert_join
INSERT INTO {joins} (
  join_id, grouping_key, expected_steps, completed_steps, failed_steps, status, created_at,
  last_updated_at, deadline_at, metadata)
SELECT
  :join, :grouping_key, :expected, 0, 0, 0, {now}, {now},
  CASE WHEN wanted.deadline >= 0
       THEN DATEADD(MICROSECOND, CAST(wanted.deadline % 1000000 AS INT),
              DATEADD(SECOND, CAST(wanted.deadline / 1000000 AS INT), {now})) END, :metadata
FROM (SELECT CAST(:deadline AS BIGINT) AS deadline) AS wanted

-- name: find_join
SELECT join_id, grouping_key, expected_steps, completed_steps, failed_steps, status, created_at,
       last_updated_at, deadline_at, metadata, {now} AS read_at
FROM {joins}
WHERE join_id = :join

-- name: find_joins_by_key
SELECT TOP (:limit)
       join_id, grouping_key, expected_steps, completed_steps, failed_steps, status, created_at,
       last_updated_at, deadline_at, metadata, {now} AS read_at
FROM {joins}
WHERE grouping_key = :grouping_key
ORDER BY created_at DESC, join_id DESC

-- name: lock_steps
UPDATE {table} WITH (ROWLOCK)
SET started = started
OUTPUT inserted.event_id, inserted.status
WHERE event_id IN (:ids...)

-- name: lock_joins
SELECT join_id, grouping_key, expected_steps, completed_steps, failed_steps, status, created_at,
       last_updated_at, deadline_at, metadata, {now} AS read_at
FROM {joins} WITH (UPDLOCK, ROWLOCK, READCOMMITTEDLOCK)
WHERE join_id IN (:ids...)
ORDER BY join_id

-- name: insert_member
INSERT INTO {members} (join_id, message_id, status, created_at)
SELECT :join, :message, 0, {now}
WHERE NOT EXISTS (
  SELECT 1 FROM {members} WITH (UPDLOCK, HOLDLOCK)
  WHERE join_id = :join AND message_id = :message)

-- name: find_member
SELECT message_id FROM {members} WHERE join_id = :join AND message_id = :message

-- name: members
SELECT join_id, message_id, status, created_at
FROM {members}
WHERE join_id = :join AND status BETWEEN :lowest AND :highest
ORDER BY message_id

-- name: member_joins
SELECT DISTINCT join_id FROM {members} WITH (READCOMMITTEDLOCK)
WHERE message_id IN (:ids...) AND status = 0

-- name: pending_members
SELECT join_id FROM {members} WITH (READCOMMITTEDLOCK)
WHERE message_id IN (:ids...) AND status = 0

-- name: flip_members
UPDATE {members} WITH (ROWLOCK)
SET status = :status
WHERE message_id IN (:ids...) AND status = 0

-- name: flip_member
UPDATE {members} WITH (ROWLOCK)
SET status = :status
WHERE join_id = :join AND message_id = :message AND status = 0

-- name: update_join
UPDATE {joins} WITH (ROWLOCK)
SET completed_steps = :completed, failed_steps = :failed, status = :status,
    last_updated_at = {now}, ended_at = CASE WHEN :status > 0 THEN {now} END
WHERE join_id = :join

-- name: insert_wait
INSERT INTO {waits} (join_id, message_id) VALUES (:join, :message)

-- name: waits
SELECT message_id FROM {waits} WITH (READCOMMITTEDLOCK)
WHERE join_id IN (:ids...)
ORDER BY message_id

-- name: wake
UPDATE {table} WITH (ROWLOCK)
SET available_at = {now}
WHERE event_id IN (:ids...) AND owner_token IS NULL AND status IN (0, 2)

-- name: lock_overdue
SELECT TOP (:limit)
       join_id, grouping_key, expected_steps, completed_steps, failed_steps, status, created_at,
       last_updated_at, deadline_at, metadata, {now} AS read_at
FROM {joins} WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK)
WHERE status = 0 AND deadline_at <= {now}
ORDER BY deadline_at

-- name: lock_purgeable
SELECT TOP (:limit) old.join_id, old.expected_steps
FROM {joins} AS old WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK)
WHERE old.ended_at <= DATEADD(MICROSECOND, -CAST(:retention % 1000000 AS INT),
    DATEADD(SECOND, -CAST(:retention / 1000000 AS INT), {now}))
  AND NOT EXISTS (
    SELECT 1 FROM {waits} AS waiting INNER JOIN {table} AS event ON event.event_id = waiting.message_id
    WHERE waiting.join_id = old.join_id AND event.status IN (0, 2, 6))
ORDER BY old.ended_at

-- name: delete_joins
-- Who began to wait before the lock, but after the look at what may go, is seen by this one.
DELETE old FROM {joins} AS old
WHERE old.join_id IN (:ids...)
  AND NOT EXISTS (
    SELECT 1 FROM {waits} AS waiting INNER JOIN {table} AS event ON event.event_id = waiting.message_id
    WHERE waiting.join_id = old.join_id AND event.status IN (0, 2, 6))
