/** The outbox on plain JDBC: stores, dialects, schema and transactions. */
module dev.outbox.jdbc {
  requires transitive dev.outbox.core;
  requires static org.postgresql.jdbc;

  exports outbox.jdbc;
}
