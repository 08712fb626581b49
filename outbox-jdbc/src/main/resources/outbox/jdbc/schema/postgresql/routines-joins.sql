-- Counts the steps of joins when the stored routines end messages, with the locks and the counts of the
-- library's own statements. Optional: run this script after joins.sql and routines.sql.

CREATE OR REPLACE FUNCTION outbox_event_joins_settled(ids text[], outcome integer)
RETURNS void
LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  ended varchar[];
BEGIN
  PERFORM 1
  FROM outbox_join
  WHERE join_id IN (
    SELECT join_id FROM outbox_join_member WHERE message_id = ANY (ids) AND status = 0)
  ORDER BY join_id
  FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  WITH flipped AS (
    UPDATE outbox_join_member SET status = CASE WHEN outcome = 1 THEN 1 ELSE 2 END
    WHERE message_id = ANY (ids) AND status = 0
    RETURNING join_id
  ), counted AS (
    SELECT join_id, CAST(COUNT(*) AS integer) AS steps FROM flipped GROUP BY join_id
  ), progress AS (
    SELECT pending.join_id, pending.expected_steps,
           pending.completed_steps + CASE WHEN outcome = 1 THEN counting ELSE 0 END AS completed,
           pending.failed_steps + CASE WHEN outcome = 1 THEN 0 ELSE counting END AS failed
    FROM outbox_join AS pending
      INNER JOIN counted ON counted.join_id = pending.join_id
      CROSS JOIN LATERAL (
        SELECT LEAST(counted.steps, pending.expected_steps - pending.completed_steps
                                    - pending.failed_steps) AS counting
      ) AS room
    WHERE pending.status = 0
  ), changed AS (
    UPDATE outbox_join AS target
    SET completed_steps = progress.completed, failed_steps = progress.failed,
        status = CASE WHEN progress.completed + progress.failed < progress.expected_steps THEN 0
                      WHEN progress.failed > 0 THEN 2 ELSE 1 END,
        last_updated_at = statement_timestamp(),
        ended_at = CASE WHEN progress.completed + progress.failed = progress.expected_steps
                        THEN statement_timestamp() END
    FROM progress
    WHERE target.join_id = progress.join_id
    RETURNING target.join_id, target.status
  )
  SELECT array_agg(join_id) INTO ended FROM changed WHERE status > 0;
  IF ended IS NOT NULL THEN
    UPDATE outbox_event SET available_at = statement_timestamp()
    WHERE event_id = ANY (ARRAY(SELECT message_id FROM outbox_join_wait WHERE join_id = ANY (ended)))
      AND owner_token IS NULL AND status NOT IN (1, 3);
  END IF;
END
$$;
