-- The statements of the joins on H2. {table}, {joins}, {members}, {waits} and {now} are put in when the
-- file is loaded, :name is a parameter, :ids... a list of them. Durations are microseconds. Locks:
-- messages by id, joins by id, waiting messages. H2 looks the elements of a list up in their order.

-- name: insert_join
INSERT INTO {joins} (
  join_id, grouping_key, expected_steps, completed_steps, failed_steps, status, created_at,
  last_updated_at, deadline_at, metadata)
VALUES (
  :join, :grouping_key, :expected, 0, 0, 0, {now}, {now},
  CASE WHEN CAST(:deadline AS BIGINT) >= 0
       THEN DATEADD(MICROSECOND, CAST(:deadline AS BIGINT), {now}) END, :metadata)

-- name: find_join
SELECT join_id, grouping_key, expected_steps, completed_steps, failed_steps, status, created_at,
       last_updated_at, deadline_at, metadata, {now} AS read_at
FROM {joins}
WHERE join_id = :join

-- name: find_joins_by_key
SELECT join_id, grouping_key, expected_steps, completed_steps, failed_steps, status, created_at,
       last_updated_at, deadline_at, metadata, {now} AS read_at
FROM {joins}
WHERE grouping_key = :grouping_key
ORDER BY created_at DESC, join_id DESC
LIMIT :limit

-- name: lock_steps
SELECT event_id, status FROM {table} WHERE event_id IN (:ids...) FOR UPDATE

-- name: lock_joins
SELECT join_id, grouping_key, expected_steps, completed_steps, failed_steps, status, created_at,
       last_updated_at, deadline_at, metadata, {now} AS read_at
FROM {joins}
WHERE join_id IN (:ids...)
FOR UPDATE

-- name: insert_member
INSERT INTO {members} (join_id, message_id, status, created_at)
SELECT CAST(:join AS VARCHAR), CAST(:message AS VARCHAR), 0, {now}
WHERE NOT EXISTS (
  SELECT 1 FROM {members} WHERE join_id = :join AND message_id = :message)

-- name: find_member
SELECT message_id FROM {members} WHERE join_id = :join AND message_id = :message

-- name: members
SELECT join_id, message_id, status, created_at
FROM {members}
WHERE join_id = :join AND status BETWEEN :lowest AND :highest
ORDER BY message_id

-- name: member_joins
SELECT DISTINCT join_id FROM {members} WHERE message_id IN (:ids...) AND status = 0

-- name: pending_members
SELECT join_id FROM {members} WHERE message_id IN (:ids...) AND status = 0

-- name: flip_members
UPDATE {members} SET status = :status WHERE message_id IN (:ids...) AND status = 0

-- name: flip_member
UPDATE {members} SET status = :status
WHERE join_id = :join AND message_id = :message AND status = 0

-- name: update_join
UPDATE {joins}
SET completed_steps = :completed, failed_steps = :failed, status = :status,
    last_updated_at = {now}, ended_at = CASE WHEN CAST(:status AS INT) > 0 THEN {now} END
WHERE join_id = :join

-- name: insert_wait
INSERT INTO {waits} (join_id, message_id) VALUES (:join, :message)

-- name: waits
SELECT message_id FROM {waits} WHERE join_id IN (:ids...) ORDER BY message_id

-- name: wake
UPDATE {table} SET available_at = {now}
WHERE event_id IN (:ids...) AND owner_token IS NULL AND status IN (0, 2)

-- name: lock_overdue
SELECT join_id, grouping_key, expected_steps, completed_steps, failed_steps, status, created_at,
       last_updated_at, deadline_at, metadata, {now} AS read_at
FROM {joins}
WHERE status = 0 AND deadline_at <= {now}
LIMIT :limit
FOR UPDATE SKIP LOCKED

-- name: lock_purgeable
SELECT join_id, expected_steps
FROM {joins} AS old
WHERE ended_at <= DATEADD(MICROSECOND, -:retention, {now})
  AND NOT EXISTS (
    SELECT 1 FROM {waits} AS waiting INNER JOIN {table} AS event ON event.event_id = waiting.message_id
    WHERE waiting.join_id = old.join_id AND event.status IN (0, 2, 6))
LIMIT :limit
FOR UPDATE SKIP LOCKED

-- name: delete_joins
-- Who began to wait before the lock, but after the look at what may go, is seen by this one.
DELETE FROM {joins} AS old
WHERE old.join_id IN (:ids...)
  AND NOT EXISTS (
    SELECT 1 FROM {waits} AS waiting INNER JOIN {table} AS event ON event.event_id = waiting.message_id
    WHERE waiting.join_id = old.join_id AND event.status IN (0, 2, 6))
