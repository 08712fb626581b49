-- The statements of the joins on PostgreSQL. {table}, {joins}, {members}, {waits} and {now} are put in
-- when the file is loaded, :name is a parameter. Durations are microseconds. Locks: messages by id,
-- joins by id, waiting messages; a delete of joins waits for none of them.

-- name: insert_join
INSERT INTO {joins} (
  join_id, grouping_key, expected_steps, completed_steps, failed_steps, status, created_at,
  last_updated_at, deadline_at, metadata)
VALUES (
  :join, :grouping_key, :expected, 0, 0, 0, {now}, {now},
  CASE WHEN :deadline >= 0 THEN {now} + :deadline * INTERVAL '1 microsecond' END, :metadata)

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
-- Writes the rows, though nothing changes: a transaction at REPEATABLE READ that ends one of these
-- messages fails then, and is tried again, instead of missing the new step.
WITH locked AS MATERIALIZED (
  SELECT event_id FROM {table} WHERE event_id = ANY (:ids) ORDER BY event_id FOR UPDATE
)
UPDATE {table} SET started = started
WHERE event_id = ANY (ARRAY(SELECT event_id FROM locked))
RETURNING event_id, status

-- name: lock_joins
-- Writes the row as well: a transaction at REPEATABLE READ that ends this join fails then, instead of
-- missing who has begun to wait. The list has one id: an update takes its locks in no certain order.
UPDATE {joins} SET status = status
WHERE join_id = ANY (:ids)
RETURNING join_id, grouping_key, expected_steps, completed_steps, failed_steps, status, created_at,
          last_updated_at, deadline_at, metadata, {now} AS read_at

-- name: insert_member
INSERT INTO {members} (join_id, message_id, status, created_at)
VALUES (:join, :message, 0, {now})
ON CONFLICT (join_id, message_id) DO NOTHING

-- name: find_member
SELECT message_id FROM {members} WHERE join_id = :join AND message_id = :message

-- name: members
SELECT join_id, message_id, status, created_at
FROM {members}
WHERE join_id = :join AND status BETWEEN :lowest AND :highest
ORDER BY message_id

-- name: any_step
SELECT 1 FROM {members} WHERE message_id = ANY (:ids) AND status = 0 LIMIT 1

-- name: lock_joins_of
-- The lock is a statement of its own. While a transaction that attaches a step holds the foreign key's
-- KEY SHARE lock of a join's old version, a statement that locked the new version and updates the row
-- waits for the old one again, and for the next in the queue there, who waits for the new one.
SELECT join_id
FROM {joins}
WHERE join_id = ANY (ARRAY(
  SELECT join_id FROM {members} WHERE message_id = ANY (:ids) AND status = 0))
ORDER BY join_id
FOR NO KEY UPDATE

-- name: end_steps
-- The messages and the joins of their steps are locked, so nothing else attaches these messages or ends
-- their steps. The joins come back as they were.
WITH flipped AS (
  UPDATE {members} SET status = :status
  WHERE message_id = ANY (:ids) AND status = 0
  RETURNING join_id
), counted AS (
  SELECT join_id, CAST(COUNT(*) AS integer) AS ended_steps FROM flipped GROUP BY join_id
), before AS MATERIALIZED (
  SELECT join_id, grouping_key, expected_steps, completed_steps, failed_steps, status, created_at,
         last_updated_at, deadline_at, metadata
  FROM {joins}
  WHERE join_id = ANY (ARRAY(SELECT join_id FROM counted))
), progress AS MATERIALIZED (
  SELECT before.join_id, before.expected_steps,
         before.completed_steps + CASE WHEN :status = 1 THEN counting ELSE 0 END AS completed,
         before.failed_steps + CASE WHEN :status = 1 THEN 0 ELSE counting END AS failed
  FROM before
    INNER JOIN counted ON counted.join_id = before.join_id
    CROSS JOIN LATERAL (
      SELECT LEAST(counted.ended_steps, before.expected_steps - before.completed_steps
                                        - before.failed_steps) AS counting
    ) AS room
  WHERE before.status = 0 AND counting > 0
), changed AS (
  UPDATE {joins} AS target
  SET completed_steps = progress.completed, failed_steps = progress.failed,
      status = CASE WHEN progress.completed + progress.failed < progress.expected_steps THEN 0
                    WHEN progress.failed > 0 THEN 2 ELSE 1 END,
      last_updated_at = {now},
      ended_at = CASE WHEN progress.completed + progress.failed = progress.expected_steps
                      THEN {now} END
  FROM progress
  WHERE target.join_id = progress.join_id
    AND target.join_id = ANY (ARRAY(SELECT join_id FROM progress))
)
SELECT before.*, {now} AS read_at, counted.ended_steps
FROM before INNER JOIN counted ON counted.join_id = before.join_id
ORDER BY before.join_id

-- name: flip_member
UPDATE {members} SET status = :status
WHERE join_id = :join AND message_id = :message AND status = 0

-- name: update_join
UPDATE {joins}
SET completed_steps = :completed, failed_steps = :failed, status = :status,
    last_updated_at = {now}, ended_at = CASE WHEN :status > 0 THEN {now} END
WHERE join_id = :join

-- name: insert_wait
INSERT INTO {waits} (join_id, message_id) VALUES (:join, :message)

-- name: wake
UPDATE {table} SET available_at = {now}
WHERE event_id = ANY (ARRAY(
    SELECT message_id FROM {waits} WHERE join_id = ANY (:ids) ORDER BY message_id))
  AND owner_token IS NULL AND status NOT IN (1, 3)

-- name: lock_overdue
SELECT join_id, grouping_key, expected_steps, completed_steps, failed_steps, status, created_at,
       last_updated_at, deadline_at, metadata, {now} AS read_at
FROM {joins}
WHERE status = 0 AND deadline_at <= {now}
ORDER BY deadline_at
LIMIT :limit
FOR NO KEY UPDATE SKIP LOCKED

-- name: lock_purgeable
SELECT join_id, expected_steps
FROM {joins} AS old
WHERE ended_at <= {now} - :retention * INTERVAL '1 microsecond'
  AND NOT EXISTS (
    SELECT 1 FROM {waits} AS waiting INNER JOIN {table} AS event ON event.event_id = waiting.message_id
    WHERE waiting.join_id = old.join_id AND event.status NOT IN (1, 3))
ORDER BY ended_at
LIMIT :limit
FOR UPDATE OF old SKIP LOCKED

-- name: delete_steps
-- All of a join or none of it. Who began to wait before the lock, but after the look at what may go, is
-- seen by this one.
WITH locked AS MATERIALIZED (
  SELECT join_id FROM {members} WHERE join_id = ANY (:ids) FOR UPDATE SKIP LOCKED
), whole AS (
  SELECT old.join_id FROM locked AS old
  GROUP BY old.join_id
  HAVING COUNT(*) = (SELECT COUNT(*) FROM {members} AS step WHERE step.join_id = old.join_id)
    AND NOT EXISTS (
      SELECT 1 FROM {waits} AS waiting INNER JOIN {table} AS event ON event.event_id = waiting.message_id
      WHERE waiting.join_id = old.join_id AND event.status NOT IN (1, 3))
)
DELETE FROM {members} WHERE join_id = ANY (ARRAY(SELECT join_id FROM whole))

-- name: delete_joins
DELETE FROM {joins} AS old
WHERE join_id = ANY (:ids)
  AND NOT EXISTS (
    SELECT 1 FROM {waits} AS waiting INNER JOIN {table} AS event ON event.event_id = waiting.message_id
    WHERE waiting.join_id = old.join_id AND event.status NOT IN (1, 3))
  AND NOT EXISTS (SELECT 1 FROM {members} AS left_over WHERE left_over.join_id = old.join_id)
