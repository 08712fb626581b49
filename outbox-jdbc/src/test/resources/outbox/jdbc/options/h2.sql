-- What the experiments with the options of BoundedQueries ask.

-- name: words
SELECT COUNT(*) AS size, '{events_name}' AS name, {answer} AS answer FROM {events}

-- name: endless
SELECT COUNT(*) AS size FROM SYSTEM_RANGE(1, 100000000000)
