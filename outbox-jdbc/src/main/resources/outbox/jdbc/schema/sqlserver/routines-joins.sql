-- Counts the steps of joins when the stored routines end messages, with the locks and the counts of the
-- library's own statements. Optional: run this script after joins.sql and routines.sql.

CREATE OR ALTER PROCEDURE outbox_event_joins_settled
  @ended NVARCHAR(MAX),
  @outcome INT
AS
BEGIN
  SET NOCOUNT ON;
  DECLARE @now DATETIME2(6) = SYSUTCDATETIME();
  DECLARE @ids TABLE (event_id NVARCHAR(36) COLLATE Latin1_General_100_BIN2 PRIMARY KEY);
  DECLARE @locked TABLE (join_id NVARCHAR(36) COLLATE Latin1_General_100_BIN2 PRIMARY KEY);
  DECLARE @flipped TABLE (join_id NVARCHAR(36) COLLATE Latin1_General_100_BIN2);
  DECLARE @changed TABLE (join_id NVARCHAR(36) COLLATE Latin1_General_100_BIN2, status INT);

  INSERT INTO @ids
  SELECT DISTINCT event_id COLLATE Latin1_General_100_BIN2
  FROM OPENJSON(@ended) WITH (event_id NVARCHAR(36) '$.event_id');

  INSERT INTO @locked
  SELECT target.join_id
  FROM outbox_join AS target WITH (UPDLOCK, ROWLOCK, READCOMMITTEDLOCK)
  WHERE target.join_id IN (
    SELECT step.join_id FROM outbox_join_member AS step WITH (READCOMMITTEDLOCK)
    WHERE step.status = 0 AND step.message_id IN (SELECT event_id FROM @ids))
  ORDER BY target.join_id;
  IF NOT EXISTS (SELECT 1 FROM @locked)
    RETURN;

  UPDATE outbox_join_member WITH (ROWLOCK)
  SET status = CASE WHEN @outcome = 1 THEN 1 ELSE 2 END
  OUTPUT inserted.join_id INTO @flipped
  WHERE status = 0 AND message_id IN (SELECT event_id FROM @ids);

  UPDATE target
  SET completed_steps = progress.completed, failed_steps = progress.failed,
      status = CASE WHEN progress.completed + progress.failed < target.expected_steps THEN 0
                    WHEN progress.failed > 0 THEN 2 ELSE 1 END,
      last_updated_at = @now,
      ended_at = CASE WHEN progress.completed + progress.failed = target.expected_steps
                      THEN @now END
  OUTPUT inserted.join_id, inserted.status INTO @changed
  FROM outbox_join AS target WITH (ROWLOCK)
    INNER JOIN (SELECT join_id, COUNT(*) AS steps FROM @flipped GROUP BY join_id) AS counted
      ON counted.join_id = target.join_id
    CROSS APPLY (
      SELECT CASE WHEN counted.steps
                       < target.expected_steps - target.completed_steps - target.failed_steps
                  THEN counted.steps
                  ELSE target.expected_steps - target.completed_steps - target.failed_steps END
             AS counting
    ) AS room
    CROSS APPLY (
      SELECT target.completed_steps + CASE WHEN @outcome = 1 THEN room.counting ELSE 0 END
               AS completed,
             target.failed_steps + CASE WHEN @outcome = 1 THEN 0 ELSE room.counting END AS failed
    ) AS progress
  WHERE target.status = 0;

  UPDATE outbox_event WITH (ROWLOCK)
  SET available_at = @now
  WHERE owner_token IS NULL AND status IN (0, 2) AND event_id IN (
    SELECT waiting.message_id
    FROM outbox_join_wait AS waiting INNER JOIN @changed AS changed ON changed.join_id = waiting.join_id
    WHERE changed.status > 0);
END
GO
