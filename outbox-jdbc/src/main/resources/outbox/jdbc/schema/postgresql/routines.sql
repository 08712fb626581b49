-- Stored functions of the outbox, for callers that use SQL instead of the Java library, which does not
-- call them. They take the same locks and check the same owner tokens as the library's own statements,
-- and run with the rights of their caller. Optional: run this script after outbox.sql. It can be repeated,
-- and replaces the functions of an older version of the library.

-- Called by claim, ack, abandon and fail in their transaction, as a later statement, with the ids of the
-- messages that ended, whose rows are locked, and their status: 1 DONE, 3 DEAD. Passes them on to the
-- function that counts the steps of joins, if that is installed.
CREATE OR REPLACE FUNCTION outbox_event_settled(ids text[], outcome integer)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  IF to_regproc('outbox_event_joins_settled') IS NOT NULL THEN
    EXECUTE 'SELECT outbox_event_joins_settled($1, $2)' USING ids, outcome;
  END IF;
END
$$;

-- Returns the id and the key of the message, and whether it existed already: a tenant has one message per key.
CREATE OR REPLACE FUNCTION outbox_event_enqueue(
  topic text,
  payload text,
  correlation_id text DEFAULT NULL,
  due_at timestamptz DEFAULT NULL,
  headers json DEFAULT NULL,
  tenant_id text DEFAULT NULL,
  expires_at timestamptz DEFAULT NULL,
  aggregate_type text DEFAULT NULL,
  aggregate_id text DEFAULT NULL,
  occurred_at timestamptz DEFAULT NULL,
  payload_bytes bytea DEFAULT NULL,
  event_id text DEFAULT NULL,
  idempotency_key text DEFAULT NULL,
  OUT id text,
  OUT key text,
  OUT already_existed boolean)
LANGUAGE plpgsql
AS $$
#variable_conflict use_variable
DECLARE
  millis bigint := EXTRACT(EPOCH FROM clock_timestamp()) * 1000;
  noise bytea := uuid_send(gen_random_uuid());
  fresh text;
BEGIN
  IF COALESCE(topic, '') = '' THEN
    RAISE 'topic must not be null or empty' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF event_id = '' THEN
    RAISE 'event_id must not be empty' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF idempotency_key = '' THEN
    RAISE 'idempotency_key must not be empty' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF idempotency_key LIKE '% ' OR (idempotency_key IS NOT NULL AND (tenant_id LIKE '% ' OR event_id LIKE '% ')) THEN
    RAISE 'idempotency_key, tenant_id and event_id must not end with a blank; strip it'
      USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF idempotency_key = event_id THEN
    RAISE 'event_id and idempotency_key must differ; leave out event_id'
      USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF num_nonnulls(payload, payload_bytes) <> 1 THEN
    RAISE 'exactly one of payload and payload_bytes must be given'
      USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF json_typeof(headers) <> 'object'
      OR EXISTS (
        SELECT FROM json_each(headers) AS header WHERE json_typeof(header.value) <> 'string') THEN
    RAISE 'headers must be a JSON object of strings' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  /* As text, so that a NUL character or half a surrogate pair is refused as well. */
  IF EXISTS (SELECT FROM json_each_text(headers) AS header WHERE header.key = '') THEN
    RAISE 'header names must not be empty' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF (SELECT SUM(octet_length(header.key) + octet_length(header.value))
      FROM json_each_text(headers) AS header) > 65536 THEN
    RAISE 'headers must not exceed 65536 bytes in all' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  id := event_id;
  IF id IS NULL THEN
    /* A ULID: ten digits of time, sixteen of chance, in Crockford's base 32. */
    SELECT string_agg(substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', digit + 1, 1), '' ORDER BY place)
    INTO id
    FROM (
      SELECT place, CAST(millis >> (45 - 5 * place) & 31 AS integer) AS digit
      FROM generate_series(0, 9) AS place
      UNION ALL
      SELECT place + 10, get_byte(noise, place) & 31
      FROM generate_series(0, 15) AS place
    ) AS digits;
  END IF;
  fresh := id;
  key := COALESCE(idempotency_key, id);
  already_existed := FALSE;
  IF idempotency_key IS NULL THEN
    INSERT INTO outbox_event (
      event_id, event_type, aggregate_type, aggregate_id, tenant_id, idempotency_key,
      correlation_id, payload_text, payload_bytes, headers, occurred_at, due_at, expires_at,
      status, attempts, available_at, created_at)
    VALUES (
      id, topic, aggregate_type, aggregate_id, tenant_id, key, correlation_id,
      payload, payload_bytes, headers, COALESCE(occurred_at, statement_timestamp()), due_at, expires_at,
      0, 0, GREATEST(statement_timestamp(), due_at), statement_timestamp());
    RETURN;
  END IF;
  /* What is there may be purged between the two statements: then this message is the first. */
  FOR round IN 1..5 LOOP
    INSERT INTO outbox_event (
      event_id, event_type, aggregate_type, aggregate_id, tenant_id, idempotency_key,
      correlation_id, payload_text, payload_bytes, headers, occurred_at, due_at, expires_at,
      status, attempts, available_at, created_at)
    SELECT
      id, topic, aggregate_type, aggregate_id, tenant_id, key, correlation_id,
      payload, payload_bytes, headers, COALESCE(occurred_at, statement_timestamp()), due_at, expires_at,
      0, 0, GREATEST(statement_timestamp(), due_at), statement_timestamp()
    WHERE NOT EXISTS (
      SELECT FROM outbox_event AS first
      WHERE first.event_id = key AND COALESCE(first.tenant_id, '') = COALESCE(tenant_id, '')
        AND (first.idempotency_key <> first.event_id COLLATE "C") IS NOT TRUE)
    ON CONFLICT DO NOTHING;
    IF FOUND THEN
      RETURN;
    END IF;
    SELECT first.event_id
    INTO id
    FROM outbox_event AS first
    WHERE COALESCE(first.tenant_id, '') = COALESCE(tenant_id, '') AND first.idempotency_key = key
      AND first.idempotency_key <> first.event_id COLLATE "C"
    UNION ALL
    SELECT first.event_id
    FROM outbox_event AS first
    WHERE first.event_id = key AND COALESCE(first.tenant_id, '') = COALESCE(tenant_id, '')
      AND (first.idempotency_key <> first.event_id COLLATE "C") IS NOT TRUE;
    IF FOUND THEN
      already_existed := TRUE;
      RETURN;
    END IF;
    id := fresh;
  END LOOP;
  RAISE 'event % exists already, with another idempotency key', id
    USING ERRCODE = 'unique_violation';
END
$$;

-- Due messages that have expired end DEAD here. If a batch has only such messages, the next batch follows,
-- up to a limit: the caller must not take the queue for empty.
CREATE OR REPLACE FUNCTION outbox_event_claim(
  owner text,
  lease interval DEFAULT '30 seconds',
  batch_size integer DEFAULT 50,
  max_bytes bigint DEFAULT 9223372036854775807,
  after timestamptz DEFAULT NULL,
  skip_recent interval DEFAULT '0 seconds')
RETURNS TABLE (
  event_id varchar, event_type varchar, aggregate_type varchar, aggregate_id varchar,
  tenant_id varchar, idempotency_key varchar, correlation_id varchar, payload_text text, payload_bytes bytea,
  headers json, attempts integer, occurred_at timestamptz, due_at timestamptz,
  expires_at timestamptz, created_at timestamptz, started smallint, lease_expiries integer,
  last_error text, available_at timestamptz, watermark timestamptz)
LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan
AS $$
#variable_conflict use_column
DECLARE
  hint timestamptz := CASE WHEN after <= statement_timestamp() THEN after ELSE '-infinity' END;
  expired varchar[];
  taken varchar[];
  last_seen timestamptz;
BEGIN
  IF COALESCE(btrim(owner), '') = '' THEN
    RAISE 'owner must not be null or blank' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF lease > INTERVAL '0' IS NOT TRUE THEN
    RAISE 'lease (%) must be positive', lease USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF batch_size > 0 IS NOT TRUE THEN
    RAISE 'batch_size (%) must be at least 1', batch_size
      USING ERRCODE = 'invalid_parameter_value';
  END IF;
  FOR round IN 1..100 LOOP
    WITH due AS MATERIALIZED (
      SELECT event_id, available_at, COALESCE(expires_at <= statement_timestamp(), FALSE) AS late,
             COALESCE(octet_length(payload_text), octet_length(payload_bytes), 0) AS bytes
      FROM outbox_event
      WHERE status IN (0, 2)
        AND available_at <= statement_timestamp()
        AND available_at > hint
        AND (occurred_at IS NOT NULL OR created_at <= statement_timestamp() - skip_recent)
      ORDER BY available_at, event_id
      LIMIT batch_size
      FOR UPDATE SKIP LOCKED
    ), summed AS (
      SELECT event_id, available_at, late,
             SUM(bytes) FILTER (WHERE NOT late) OVER (
               ORDER BY available_at, event_id
               ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_before
      FROM due
    ), judged AS (
      SELECT event_id, available_at, late,
             NOT late AND COALESCE(bytes_before, 0) < max_bytes AS fits
      FROM summed
    )
    SELECT array_agg(event_id ORDER BY event_id) FILTER (WHERE late),
           array_agg(event_id ORDER BY event_id) FILTER (WHERE fits),
           MAX(available_at) FILTER (WHERE fits)
    INTO expired, taken, last_seen
    FROM judged;
    IF expired IS NOT NULL THEN
      UPDATE outbox_event
      SET status = 3, attempts = attempts + 1, available_at = statement_timestamp(), last_error = 'expired',
          owner_token = NULL, started = 0
      WHERE event_id = ANY (expired);
      PERFORM outbox_event_settled(expired, 3);
    END IF;
    EXIT WHEN taken IS NOT NULL OR expired IS NULL;
  END LOOP;
  RETURN QUERY
  WITH claimed AS (
    UPDATE outbox_event
    SET lease_expiries = lease_expiries
          + CASE WHEN owner_token IS NOT NULL AND started = 2 THEN 1 ELSE 0 END,
        started = CASE WHEN owner_token IS NOT NULL OR started > 0 THEN 1 ELSE 0 END,
        owner_token = owner,
        available_at = statement_timestamp() + lease
    WHERE event_id = ANY (taken)
    RETURNING event_id, event_type, aggregate_type, aggregate_id, tenant_id, idempotency_key,
              correlation_id, payload_text, payload_bytes, headers, attempts, occurred_at, due_at,
              expires_at,
              created_at, started, lease_expiries, last_error, available_at, last_seen
  )
  SELECT * FROM claimed ORDER BY created_at, event_id;
END
$$;

CREATE OR REPLACE FUNCTION outbox_event_ack(owner text, ids text[])
RETURNS TABLE (event_id varchar)
LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan
AS $$
#variable_conflict use_column
DECLARE
  changed varchar[];
BEGIN
  WITH ended AS (
    UPDATE outbox_event
    SET status = 1, done_at = statement_timestamp(), processed_by = owner_token, owner_token = NULL,
        last_error = NULL, listeners = NULL, started = 0
    WHERE event_id = ANY (ARRAY(
      SELECT event_id FROM outbox_event
      WHERE event_id = ANY (ids) AND owner_token = owner AND status NOT IN (1, 3)
      ORDER BY event_id
      FOR UPDATE SKIP LOCKED))
    RETURNING event_id
  )
  SELECT array_agg(event_id ORDER BY event_id) INTO changed FROM ended;
  IF changed IS NOT NULL THEN
    PERFORM outbox_event_settled(changed, 1);
  END IF;
  RETURN QUERY SELECT unnest(changed);
END
$$;

-- Without a delay the last of the attempts ends the message.
CREATE OR REPLACE FUNCTION outbox_event_abandon(
  owner text, ids text[], error text DEFAULT NULL, delay interval DEFAULT NULL,
  max_attempts integer DEFAULT 10)
RETURNS TABLE (event_id varchar)
LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan
AS $$
#variable_conflict use_column
DECLARE
  changed varchar[];
  ended varchar[];
BEGIN
  WITH judged AS MATERIALIZED (
    SELECT event_id, delay IS NULL AND attempts + 1 >= max_attempts AS is_last
    FROM outbox_event
    WHERE event_id = ANY (ids) AND owner_token = owner AND status NOT IN (1, 3)
    ORDER BY event_id
    FOR UPDATE SKIP LOCKED
  ), moved AS (
    UPDATE outbox_event AS event
    SET status = CASE WHEN judged.is_last THEN 3 ELSE 2 END, attempts = attempts + 1,
        last_error = COALESCE(left(error, 4000),
          CASE WHEN judged.is_last THEN 'failed ' || (attempts + 1) || ' times' ELSE last_error END),
        available_at = CASE WHEN judged.is_last THEN statement_timestamp() ELSE GREATEST(
          statement_timestamp() + COALESCE(delay, LEAST(2 ^ LEAST(attempts + 1, 6), 60) * INTERVAL '1 second'),
          due_at) END,
        owner_token = NULL, started = 0
    FROM judged
    WHERE event.event_id = judged.event_id
      AND event.event_id = ANY (ARRAY(SELECT event_id FROM judged))
    RETURNING event.event_id, judged.is_last
  )
  SELECT array_agg(event_id ORDER BY event_id),
         array_agg(event_id ORDER BY event_id) FILTER (WHERE is_last)
  INTO changed, ended
  FROM moved;
  IF ended IS NOT NULL THEN
    PERFORM outbox_event_settled(ended, 3);
  END IF;
  RETURN QUERY SELECT unnest(changed);
END
$$;

CREATE OR REPLACE FUNCTION outbox_event_defer(
  owner text, ids text[], delay interval DEFAULT '0 seconds')
RETURNS TABLE (event_id varchar)
LANGUAGE sql
SET plan_cache_mode = force_custom_plan
AS $$
  UPDATE outbox_event
  SET available_at = GREATEST(statement_timestamp() + COALESCE(delay, INTERVAL '0'), due_at),
      owner_token = NULL, started = CASE WHEN started = 1 THEN 1 ELSE 0 END
  WHERE event_id = ANY (ARRAY(
    SELECT event_id FROM outbox_event
    WHERE event_id = ANY (ids) AND owner_token = owner AND status NOT IN (1, 3)
    ORDER BY event_id
    FOR UPDATE SKIP LOCKED))
  RETURNING event_id
$$;

CREATE OR REPLACE FUNCTION outbox_event_fail(owner text, ids text[], error text)
RETURNS TABLE (event_id varchar)
LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan
AS $$
#variable_conflict use_column
DECLARE
  changed varchar[];
BEGIN
  WITH ended AS (
    UPDATE outbox_event
    SET status = 3, attempts = attempts + 1, available_at = statement_timestamp(), last_error = left(error, 4000),
        owner_token = NULL, started = 0
    WHERE event_id = ANY (ARRAY(
      SELECT event_id FROM outbox_event
      WHERE event_id = ANY (ids) AND owner_token = owner AND status NOT IN (1, 3)
      ORDER BY event_id
      FOR UPDATE SKIP LOCKED))
    RETURNING event_id
  )
  SELECT array_agg(event_id ORDER BY event_id) INTO changed FROM ended;
  IF changed IS NOT NULL THEN
    PERFORM outbox_event_settled(changed, 3);
  END IF;
  RETURN QUERY SELECT unnest(changed);
END
$$;

-- With starting, records that the message is about to be handled: a lease that expires after that
-- counts in lease_expiries at the next claim or reap.
CREATE OR REPLACE FUNCTION outbox_event_renew(
  owner text, ids text[], lease interval DEFAULT '30 seconds', starting boolean DEFAULT FALSE)
RETURNS TABLE (event_id varchar)
LANGUAGE sql
SET plan_cache_mode = force_custom_plan
AS $$
  UPDATE outbox_event
  SET available_at = statement_timestamp() + COALESCE(lease, INTERVAL '0'),
      started = CASE WHEN starting THEN 2 ELSE started END
  WHERE event_id = ANY (ARRAY(
    SELECT event_id FROM outbox_event
    WHERE event_id = ANY (ids) AND owner_token = owner AND status NOT IN (1, 3)
    ORDER BY event_id
    FOR UPDATE SKIP LOCKED))
  RETURNING event_id
$$;

-- Walks over the whole backlog of what is due, in the order of the index. The lower bound excludes
-- nothing: without statistics it lets the planner expect few rows, and so walk the index in order
-- instead of sorting the backlog.
CREATE OR REPLACE FUNCTION outbox_event_reap(
  grace interval DEFAULT '0 seconds', batch_size integer DEFAULT 1000)
RETURNS TABLE (event_id varchar)
LANGUAGE sql
SET plan_cache_mode = force_custom_plan
AS $$
  WITH expired AS MATERIALIZED (
    SELECT event_id
    FROM outbox_event
    WHERE status IN (0, 2) AND available_at > '-infinity' AND available_at < statement_timestamp() - grace
      AND owner_token IS NOT NULL
    ORDER BY available_at, event_id
    LIMIT batch_size
    FOR UPDATE SKIP LOCKED
  )
  UPDATE outbox_event
  SET lease_expiries = lease_expiries + CASE WHEN started = 2 THEN 1 ELSE 0 END,
      started = 1,
      owner_token = NULL
  WHERE event_id = ANY (ARRAY(SELECT event_id FROM expired))
  RETURNING event_id
$$;

-- Fixes the search_path, so that names inside the functions mean the objects in their own schema whatever
-- search_path the caller has, and revokes the right of PUBLIC to execute the functions.
DO $$
DECLARE
  routine record;
BEGIN
  FOR routine IN
    SELECT CAST(function.oid AS regprocedure) AS signature, home.nspname AS home,
           beside.nspname AS beside
    FROM pg_class AS relation
      INNER JOIN pg_namespace AS beside ON beside.oid = relation.relnamespace
      INNER JOIN pg_namespace AS home
        ON home.nspname = CASE WHEN strpos('outbox_event', '.') = 0 THEN current_schema() ELSE beside.nspname END
      INNER JOIN pg_proc AS function
        ON function.pronamespace = home.oid
          AND function.proname = ANY (ARRAY[
            relation.relname || '_settled', relation.relname || '_enqueue',
            relation.relname || '_claim', relation.relname || '_ack',
            relation.relname || '_abandon', relation.relname || '_defer',
            relation.relname || '_fail', relation.relname || '_renew',
            relation.relname || '_reap'])
    WHERE relation.oid = CAST('outbox_event' AS regclass)
  LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, %I, pg_temp',
      routine.signature, routine.home, routine.beside);
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', routine.signature);
  END LOOP;
END
$$;
