-- Stored procedures of the outbox, for callers that use SQL instead of the Java library, which does not
-- call them. They take the same locks and check the same owner tokens as the library's own statements.
-- Ids come as a JSON array of strings. Text parameters are wider than their columns: a parameter would
-- cut a text that is too long without an error, a column refuses it. Optional: run this script after
-- outbox.sql. It can be repeated, and replaces the procedures of an older version of the library.

-- A procedure keeps the settings that it was created with.
SET QUOTED_IDENTIFIER ON;
GO

SET ANSI_NULLS ON;
GO

-- Called by claim, ack, abandon and fail in their transaction with the messages that ended, whose rows are
-- locked, as '[{"event_id":"..."}]', and their status: 1 DONE, 3 DEAD. Passes them on to the procedure
-- that counts the steps of joins, if that is installed.
CREATE OR ALTER PROCEDURE outbox_event_settled
  @ended NVARCHAR(MAX),
  @outcome INT
AS
BEGIN
  SET NOCOUNT ON;
  IF OBJECT_ID(N'outbox_event_joins_settled', N'P') IS NOT NULL
    EXEC outbox_event_joins_settled @ended, @outcome;
END
GO

-- Returns the id and the key of the message, and whether it existed already: a tenant has one message per key.
CREATE OR ALTER PROCEDURE outbox_event_enqueue
  @topic NVARCHAR(4000),
  @payload NVARCHAR(MAX),
  @correlation_id NVARCHAR(4000) = NULL,
  @due_at DATETIME2(6) = NULL,
  @headers NVARCHAR(MAX) = NULL,
  @tenant_id NVARCHAR(4000) = NULL,
  @expires_at DATETIME2(6) = NULL,
  @aggregate_type NVARCHAR(4000) = NULL,
  @aggregate_id NVARCHAR(4000) = NULL,
  @occurred_at DATETIME2(6) = NULL,
  @payload_bytes VARBINARY(MAX) = NULL,
  @event_id NVARCHAR(4000) = NULL,
  @idempotency_key NVARCHAR(4000) = NULL
AS
BEGIN
  SET NOCOUNT ON;
  SET XACT_ABORT ON;
  DECLARE @now DATETIME2(6) = SYSUTCDATETIME();
  DECLARE @alphabet NVARCHAR(32) = N'0123456789ABCDEFGHJKMNPQRSTVWXYZ';
  DECLARE @millis BIGINT = DATEDIFF_BIG(MILLISECOND, '1970-01-01', SYSUTCDATETIME());
  DECLARE @noise VARBINARY(16) = CRYPT_GEN_RANDOM(16);
  DECLARE @place INT = 1;
  IF COALESCE(@topic, N'') = N''
    THROW 50000, N'topic must not be null or empty', 1;
  IF @event_id = N''
    THROW 50000, N'event_id must not be empty', 1;
  IF @idempotency_key = N''
    THROW 50000, N'idempotency_key must not be empty', 1;
  IF @idempotency_key LIKE N'% ' OR (@idempotency_key IS NOT NULL AND (@tenant_id LIKE N'% ' OR @event_id LIKE N'% '))
    THROW 50000, N'idempotency_key, tenant_id and event_id must not end with a blank; strip it', 1;
  IF @idempotency_key = @event_id
    THROW 50000, N'event_id and idempotency_key must differ; leave out event_id', 1;
  IF (@payload IS NULL AND @payload_bytes IS NULL)
      OR (@payload IS NOT NULL AND @payload_bytes IS NOT NULL)
    THROW 50000, N'exactly one of payload and payload_bytes must be given', 1;
  IF ISJSON(@headers) = 0 OR LEFT(LTRIM(@headers), 1) <> N'{'
    THROW 50000, N'headers must be a JSON object of strings', 1;
  IF EXISTS (SELECT 1 FROM OPENJSON(@headers) WHERE type <> 1)
    THROW 50000, N'headers must be a JSON object of strings', 1;
  IF EXISTS (SELECT 1 FROM OPENJSON(@headers) WHERE DATALENGTH([key]) = 0)
    THROW 50000, N'header names must not be empty', 1;
  IF CHARINDEX(N'\u0000', @headers) > 0
    THROW 50000, N'headers must not have NUL characters', 1;
  IF DATALENGTH(@headers) > 131072
    THROW 50000, N'headers must not exceed 65536 characters in all', 1;
  IF @event_id IS NULL
  BEGIN
    /* A ULID: ten digits of time, sixteen of chance, in Crockford's base 32. */
    SET @event_id = N'';
    WHILE @place <= 10
    BEGIN
      SET @event_id = SUBSTRING(@alphabet, CAST(@millis % 32 AS INT) + 1, 1) + @event_id;
      SET @millis = @millis / 32;
      SET @place = @place + 1;
    END;
    SET @place = 1;
    WHILE @place <= 16
    BEGIN
      SET @event_id = @event_id
        + SUBSTRING(@alphabet, CAST(SUBSTRING(@noise, @place, 1) AS INT) % 32 + 1, 1);
      SET @place = @place + 1;
    END;
  END;
  /* HOLDLOCK keeps the key's place until the statement's transaction ends. */
  INSERT INTO outbox_event (
    event_id, event_type, aggregate_type, aggregate_id, tenant_id, idempotency_key, correlation_id,
    payload_text, payload_bytes, headers, occurred_at, due_at, expires_at,
    status, attempts, available_at, created_at)
  SELECT
    @event_id, @topic, @aggregate_type, @aggregate_id, @tenant_id,
    COALESCE(@idempotency_key, @event_id), @correlation_id,
    @payload, @payload_bytes, @headers, COALESCE(@occurred_at, @now), @due_at, @expires_at,
    0, 0, CASE WHEN @due_at > @now THEN @due_at ELSE @now END, @now
  WHERE @idempotency_key IS NULL OR NOT EXISTS (
    SELECT 1 FROM outbox_event WITH (UPDLOCK, HOLDLOCK, ROWLOCK)
    WHERE key_tenant = COALESCE(@tenant_id, N'')
      AND key_given IN (N'k' + @idempotency_key, N'e' + @idempotency_key));
  IF @@ROWCOUNT = 1
    SELECT @event_id AS event_id, COALESCE(@idempotency_key, @event_id) AS idempotency_key,
           CAST(0 AS BIT) AS already_existed;
  ELSE
    SELECT event_id, @idempotency_key AS idempotency_key, CAST(1 AS BIT) AS already_existed
    FROM outbox_event
    WHERE key_tenant = COALESCE(@tenant_id, N'')
      AND key_given IN (N'k' + @idempotency_key, N'e' + @idempotency_key);
END
GO

-- Due messages that have expired end DEAD here. If a batch has only such messages, the next batch follows,
-- up to a limit: the caller must not take the queue for empty.
CREATE OR ALTER PROCEDURE outbox_event_claim
  @owner NVARCHAR(4000),
  @lease_seconds INT = 30,
  @batch_size INT = 50,
  @max_bytes BIGINT = 9223372036854775807,
  @after DATETIME2(6) = NULL,
  @skip_recent_seconds INT = 0
AS
BEGIN
  SET NOCOUNT ON;
  SET XACT_ABORT ON;
  DECLARE @now DATETIME2(6) = SYSUTCDATETIME();
  DECLARE @hint DATETIME2(6) = '0001-01-01';
  DECLARE @round INT = 1;
  DECLARE @watermark DATETIME2(6);
  DECLARE @ended NVARCHAR(MAX);
  DECLARE @due TABLE (
    event_id NVARCHAR(36) COLLATE Latin1_General_100_BIN2 PRIMARY KEY,
    available_at DATETIME2(6) NOT NULL,
    bytes BIGINT NOT NULL,
    late INT NOT NULL);
  DECLARE @taken TABLE (
    event_id NVARCHAR(36) COLLATE Latin1_General_100_BIN2 PRIMARY KEY,
    available_at DATETIME2(6) NOT NULL);
  IF COALESCE(LTRIM(@owner), N'') = N''
    THROW 50000, N'owner must not be null or blank', 1;
  IF COALESCE(@lease_seconds, 0) < 1
    THROW 50000, N'lease_seconds must be at least 1', 1;
  IF COALESCE(@batch_size, 0) < 1
    THROW 50000, N'batch_size must be at least 1', 1;
  IF @after <= @now
    SET @hint = @after;
  BEGIN TRANSACTION;
  WHILE @round <= 100
  BEGIN
    DELETE FROM @due;
    INSERT INTO @due (event_id, available_at, bytes, late)
    SELECT TOP (@batch_size) event_id, available_at,
           COALESCE(DATALENGTH(payload_text), DATALENGTH(payload_bytes), 0),
           CASE WHEN expires_at <= @now THEN 1 ELSE 0 END
    FROM outbox_event WITH (INDEX (idx_claim), UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK)
    WHERE status IN (0, 2)
      AND available_at <= @now
      AND available_at > @hint
      AND (occurred_at IS NOT NULL
           OR created_at <= DATEADD(SECOND, -@skip_recent_seconds, @now))
    ORDER BY available_at, event_id;
    UPDATE event
    SET status = 3, attempts = attempts + 1, available_at = SYSUTCDATETIME(), last_error = N'expired',
        owner_token = NULL, started = 0
    FROM outbox_event AS event
      INNER JOIN @due AS due ON due.event_id = event.event_id
    WHERE due.late = 1;
    SET @ended = (SELECT event_id FROM @due WHERE late = 1 FOR JSON PATH);
    IF @ended IS NOT NULL
      EXEC outbox_event_settled @ended, 3;
    WITH summed AS (
      SELECT event_id, available_at,
             SUM(bytes) OVER (ORDER BY available_at, event_id
                              ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_before
      FROM @due
      WHERE late = 0
    )
    INSERT INTO @taken (event_id, available_at)
    SELECT event_id, available_at FROM summed WHERE COALESCE(bytes_before, 0) < @max_bytes;
    IF @ended IS NULL OR EXISTS (SELECT 1 FROM @taken)
      BREAK;
    SET @round = @round + 1;
  END;
  SET @watermark = (SELECT MAX(available_at) FROM @taken);
  UPDATE event
  SET lease_expiries = lease_expiries
        + CASE WHEN owner_token IS NOT NULL AND started = 2 THEN 1 ELSE 0 END,
      started = CASE WHEN owner_token IS NOT NULL OR started > 0 THEN 1 ELSE 0 END,
      owner_token = @owner,
      available_at = DATEADD(SECOND, @lease_seconds, @now)
  OUTPUT inserted.event_id, inserted.event_type, inserted.aggregate_type, inserted.aggregate_id,
         inserted.tenant_id, inserted.idempotency_key, inserted.correlation_id,
         inserted.payload_text, inserted.payload_bytes, inserted.headers, inserted.attempts, inserted.occurred_at,
         inserted.due_at, inserted.expires_at, inserted.created_at, inserted.started,
         inserted.lease_expiries, inserted.last_error, inserted.available_at,
         @watermark AS watermark
  FROM outbox_event AS event
    INNER JOIN @taken AS taken ON taken.event_id = event.event_id;
  COMMIT TRANSACTION;
END
GO

CREATE OR ALTER PROCEDURE outbox_event_ack
  @owner NVARCHAR(4000),
  @ids NVARCHAR(MAX)
AS
BEGIN
  SET NOCOUNT ON;
  SET XACT_ABORT ON;
  DECLARE @now DATETIME2(6) = SYSUTCDATETIME();
  DECLARE @ended NVARCHAR(MAX);
  DECLARE @wanted TABLE (event_id NVARCHAR(36) COLLATE Latin1_General_100_BIN2 PRIMARY KEY);
  INSERT INTO @wanted (event_id)
  SELECT DISTINCT CAST(value AS NVARCHAR(36)) COLLATE Latin1_General_100_BIN2
  FROM OPENJSON(@ids)
  WHERE DATALENGTH(value) <= 72;
  DECLARE @changed TABLE (event_id NVARCHAR(36) COLLATE Latin1_General_100_BIN2 PRIMARY KEY);
  BEGIN TRANSACTION;
  UPDATE event
  SET status = 1, done_at = @now, processed_by = owner_token, owner_token = NULL,
      last_error = NULL, listeners = NULL, started = 0
  OUTPUT inserted.event_id INTO @changed (event_id)
  FROM outbox_event AS event WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK)
    INNER JOIN @wanted AS wanted ON wanted.event_id = event.event_id
  WHERE event.owner_token = @owner AND event.status IN (0, 2);
  SET @ended = (SELECT event_id FROM @changed FOR JSON PATH);
  IF @ended IS NOT NULL
    EXEC outbox_event_settled @ended, 1;
  COMMIT TRANSACTION;
  SELECT event_id FROM @changed ORDER BY event_id;
END
GO

-- Without a delay the last of the attempts ends the message.
CREATE OR ALTER PROCEDURE outbox_event_abandon
  @owner NVARCHAR(4000),
  @ids NVARCHAR(MAX),
  @error NVARCHAR(MAX) = NULL,
  @delay_seconds INT = NULL,
  @max_attempts INT = 10
AS
BEGIN
  SET NOCOUNT ON;
  SET XACT_ABORT ON;
  DECLARE @now DATETIME2(6) = SYSUTCDATETIME();
  DECLARE @ended NVARCHAR(MAX);
  DECLARE @wanted TABLE (event_id NVARCHAR(36) COLLATE Latin1_General_100_BIN2 PRIMARY KEY);
  INSERT INTO @wanted (event_id)
  SELECT DISTINCT CAST(value AS NVARCHAR(36)) COLLATE Latin1_General_100_BIN2
  FROM OPENJSON(@ids)
  WHERE DATALENGTH(value) <= 72;
  DECLARE @changed TABLE (
    event_id NVARCHAR(36) COLLATE Latin1_General_100_BIN2 PRIMARY KEY,
    status INT NOT NULL);
  BEGIN TRANSACTION;
  UPDATE event
  SET status = gate.outcome, attempts = attempts + 1,
      last_error = COALESCE(LEFT(@error, 4000),
        CASE WHEN gate.outcome = 3 THEN CONCAT(N'failed ', attempts + 1, N' times')
             ELSE last_error END),
      available_at = CASE WHEN gate.outcome = 3 THEN @now
                          WHEN due_at > gate.delay_end THEN due_at
                          ELSE gate.delay_end END,
      owner_token = NULL, started = 0
  OUTPUT inserted.event_id, inserted.status INTO @changed (event_id, status)
  FROM outbox_event AS event WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK)
    INNER JOIN @wanted AS wanted ON wanted.event_id = event.event_id
    CROSS APPLY (
      SELECT DATEADD(SECOND, COALESCE(@delay_seconds,
        CASE WHEN event.attempts < 5 THEN CAST(POWER(2, event.attempts + 1) AS INT) ELSE 60 END),
        @now) AS delay_end,
        CASE WHEN @delay_seconds IS NULL AND event.attempts + 1 >= @max_attempts THEN 3
             ELSE 2 END AS outcome
    ) AS gate
  WHERE event.owner_token = @owner AND event.status IN (0, 2);
  SET @ended = (SELECT event_id FROM @changed WHERE status = 3 FOR JSON PATH);
  IF @ended IS NOT NULL
    EXEC outbox_event_settled @ended, 3;
  COMMIT TRANSACTION;
  SELECT event_id FROM @changed ORDER BY event_id;
END
GO

CREATE OR ALTER PROCEDURE outbox_event_defer
  @owner NVARCHAR(4000),
  @ids NVARCHAR(MAX),
  @delay_seconds INT = 0
AS
BEGIN
  SET NOCOUNT ON;
  SET XACT_ABORT ON;
  DECLARE @now DATETIME2(6) = SYSUTCDATETIME();
  DECLARE @gate DATETIME2(6) = DATEADD(SECOND, COALESCE(@delay_seconds, 0), @now);
  DECLARE @wanted TABLE (event_id NVARCHAR(36) COLLATE Latin1_General_100_BIN2 PRIMARY KEY);
  INSERT INTO @wanted (event_id)
  SELECT DISTINCT CAST(value AS NVARCHAR(36)) COLLATE Latin1_General_100_BIN2
  FROM OPENJSON(@ids)
  WHERE DATALENGTH(value) <= 72;
  DECLARE @changed TABLE (event_id NVARCHAR(36) COLLATE Latin1_General_100_BIN2 PRIMARY KEY);
  UPDATE event
  SET available_at = CASE WHEN due_at > @gate THEN due_at ELSE @gate END,
      owner_token = NULL, started = CASE WHEN started = 1 THEN 1 ELSE 0 END
  OUTPUT inserted.event_id INTO @changed (event_id)
  FROM outbox_event AS event WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK)
    INNER JOIN @wanted AS wanted ON wanted.event_id = event.event_id
  WHERE event.owner_token = @owner AND event.status IN (0, 2);
  SELECT event_id FROM @changed ORDER BY event_id;
END
GO

CREATE OR ALTER PROCEDURE outbox_event_fail
  @owner NVARCHAR(4000),
  @ids NVARCHAR(MAX),
  @error NVARCHAR(MAX)
AS
BEGIN
  SET NOCOUNT ON;
  SET XACT_ABORT ON;
  DECLARE @now DATETIME2(6) = SYSUTCDATETIME();
  DECLARE @ended NVARCHAR(MAX);
  DECLARE @wanted TABLE (event_id NVARCHAR(36) COLLATE Latin1_General_100_BIN2 PRIMARY KEY);
  INSERT INTO @wanted (event_id)
  SELECT DISTINCT CAST(value AS NVARCHAR(36)) COLLATE Latin1_General_100_BIN2
  FROM OPENJSON(@ids)
  WHERE DATALENGTH(value) <= 72;
  DECLARE @changed TABLE (event_id NVARCHAR(36) COLLATE Latin1_General_100_BIN2 PRIMARY KEY);
  BEGIN TRANSACTION;
  UPDATE event
  SET status = 3, attempts = attempts + 1, available_at = SYSUTCDATETIME(), last_error = LEFT(@error, 4000),
      owner_token = NULL, started = 0
  OUTPUT inserted.event_id INTO @changed (event_id)
  FROM outbox_event AS event WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK)
    INNER JOIN @wanted AS wanted ON wanted.event_id = event.event_id
  WHERE event.owner_token = @owner AND event.status IN (0, 2);
  SET @ended = (SELECT event_id FROM @changed FOR JSON PATH);
  IF @ended IS NOT NULL
    EXEC outbox_event_settled @ended, 3;
  COMMIT TRANSACTION;
  SELECT event_id FROM @changed ORDER BY event_id;
END
GO

-- With starting, records that the message is about to be handled: a lease that expires after that
-- counts in lease_expiries at the next claim or reap.
CREATE OR ALTER PROCEDURE outbox_event_renew
  @owner NVARCHAR(4000),
  @ids NVARCHAR(MAX),
  @lease_seconds INT = 30,
  @starting BIT = 0
AS
BEGIN
  SET NOCOUNT ON;
  SET XACT_ABORT ON;
  DECLARE @now DATETIME2(6) = SYSUTCDATETIME();
  DECLARE @wanted TABLE (event_id NVARCHAR(36) COLLATE Latin1_General_100_BIN2 PRIMARY KEY);
  INSERT INTO @wanted (event_id)
  SELECT DISTINCT CAST(value AS NVARCHAR(36)) COLLATE Latin1_General_100_BIN2
  FROM OPENJSON(@ids)
  WHERE DATALENGTH(value) <= 72;
  DECLARE @changed TABLE (event_id NVARCHAR(36) COLLATE Latin1_General_100_BIN2 PRIMARY KEY);
  UPDATE event
  SET available_at = DATEADD(SECOND, COALESCE(@lease_seconds, 0), @now),
      started = CASE WHEN @starting = 1 THEN 2 ELSE started END
  OUTPUT inserted.event_id INTO @changed (event_id)
  FROM outbox_event AS event WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK)
    INNER JOIN @wanted AS wanted ON wanted.event_id = event.event_id
  WHERE event.owner_token = @owner AND event.status IN (0, 2);
  SELECT event_id FROM @changed ORDER BY event_id;
END
GO

CREATE OR ALTER PROCEDURE outbox_event_reap
  @grace_seconds INT = 0,
  @batch_size INT = 1000
AS
BEGIN
  SET NOCOUNT ON;
  SET XACT_ABORT ON;
  DECLARE @before DATETIME2(6) = DATEADD(SECOND, -@grace_seconds, SYSUTCDATETIME());
  WITH expired AS (
    SELECT TOP (@batch_size) event_id, owner_token, started, lease_expiries
    FROM outbox_event WITH (INDEX (idx_claim), UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK)
    WHERE status IN (0, 2) AND available_at < @before AND owner_token IS NOT NULL
    ORDER BY available_at, event_id
  )
  UPDATE expired
  SET lease_expiries = lease_expiries + CASE WHEN started = 2 THEN 1 ELSE 0 END,
      started = 1,
      owner_token = NULL
  OUTPUT inserted.event_id;
END
GO
