-- What operators ask the tables of joins on H2; {joins}, {members}, {waits} and {table}, that of the
-- events, are put in when the file is loaded. Lists are bounded as those of the events are.

-- name: probe
SELECT join_id FROM {joins} WHERE 1 = 0

-- name: by_id
SELECT join_id, join_id AS event_id, grouping_key, expected_steps, completed_steps, failed_steps,
       status, created_at, last_updated_at, deadline_at, metadata, created_at AS place_at
FROM (
  SELECT * FROM {joins}
  WHERE CAST(:after_id AS VARCHAR) IS NULL OR join_id < :after_id
  ORDER BY join_id DESC
  LIMIT :look
) AS looked_at
WHERE :status < 0 OR status = :status
ORDER BY join_id DESC
LIMIT :limit

-- name: place_by_id
SELECT created_at AS place_at, join_id AS event_id
FROM {joins}
WHERE CAST(:after_id AS VARCHAR) IS NULL OR join_id < :after_id
ORDER BY join_id DESC
LIMIT 1 OFFSET :skip

-- name: by_key
SELECT join_id, join_id AS event_id, grouping_key, expected_steps, completed_steps, failed_steps,
       status, created_at, last_updated_at, deadline_at, metadata, created_at AS place_at
FROM (
  SELECT * FROM {joins} USE INDEX ({joins_name}_grouping)
  WHERE grouping_key = :key AND (CAST(:after_id AS VARCHAR) IS NULL OR join_id < :after_id)
  ORDER BY join_id DESC
  LIMIT :look
) AS of_key
WHERE :status < 0 OR status = :status
ORDER BY join_id DESC
LIMIT :limit

-- name: place_by_key
SELECT created_at AS place_at, join_id AS event_id
FROM {joins} USE INDEX ({joins_name}_grouping)
WHERE grouping_key = :key AND (CAST(:after_id AS VARCHAR) IS NULL OR join_id < :after_id)
ORDER BY join_id DESC
LIMIT 1 OFFSET :skip

-- name: join
SELECT join_id, join_id AS event_id, grouping_key, expected_steps, completed_steps, failed_steps,
       status, created_at, last_updated_at, deadline_at, metadata
FROM {joins}
WHERE join_id = :id

-- name: members
SELECT m.message_id, m.status AS step_status, m.created_at AS attached_at,
       e.event_id, e.event_type AS topic, e.tenant_id AS tenant, e.status, e.owner_token, e.attempts,
       e.created_at AS stored_at, e.available_at, e.due_at, e.done_at, e.replays, e.aggregate_type,
       e.aggregate_id, e.correlation_id, e.idempotency_key, e.occurred_at, e.expires_at,
       CASE WHEN e.status IN (0, 2) AND e.owner_token IS NOT NULL AND e.available_at > {now}
            THEN 1 ELSE 0 END AS leased,
       SUBSTRING(e.last_error, 1, CAST(:snippet AS INT)) AS error_snippet, e.listeners
FROM (
  SELECT * FROM {members} WHERE join_id = :id ORDER BY status, message_id LIMIT :limit
) AS m
  LEFT JOIN {table} AS e ON e.event_id = m.message_id
ORDER BY m.status, m.message_id

-- name: member_count
SELECT COUNT(*) AS members FROM {members} WHERE join_id = :id

-- name: waits
SELECT w.message_id,
       e.event_id, e.event_type AS topic, e.tenant_id AS tenant, e.status, e.owner_token, e.attempts,
       e.created_at AS stored_at, e.available_at, e.due_at, e.done_at, e.replays, e.aggregate_type,
       e.aggregate_id, e.correlation_id, e.idempotency_key, e.occurred_at, e.expires_at,
       CASE WHEN e.status IN (0, 2) AND e.owner_token IS NOT NULL AND e.available_at > {now}
            THEN 1 ELSE 0 END AS leased,
       SUBSTRING(e.last_error, 1, CAST(:snippet AS INT)) AS error_snippet, e.listeners
FROM (
  SELECT message_id FROM {waits} WHERE join_id = :id ORDER BY message_id LIMIT :limit
) AS w
  LEFT JOIN {table} AS e ON e.event_id = w.message_id
ORDER BY w.message_id

-- name: a_wait
SELECT message_id FROM {waits} LIMIT 1

-- name: joins_of
SELECT join_id FROM {members} WHERE message_id = :id ORDER BY join_id LIMIT :limit
