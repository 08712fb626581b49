-- What the test of BoundedQueries asks.

-- name: note
INSERT INTO noted (id, size, at_time) VALUES (:id, :size, :at)

-- name: grow
UPDATE noted SET size = size + :growth, content = X'0102' WHERE id IN (:ids...)

-- name: noted
SELECT id, size, content, at_time, CASE WHEN at_time < {now} THEN 1 ELSE 0 END AS past
FROM noted WHERE CAST(:of AS VARCHAR(10)) IS NULL OR id = :of ORDER BY id
