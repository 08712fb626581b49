/** The outbox on plain JDBC: stores, dialects, schema and transactions. */
@SuppressWarnings("module")
module dev.outbox.jdbc {
  requires transitive dev.outbox.core;
  requires static org.postgresql.jdbc;

  exports outbox.jdbc;
  exports outbox.jdbc.schema;
  exports outbox.jdbc.internal.query to
      dev.outbox.admin;
  exports outbox.jdbc.internal.sql to
      dev.outbox.admin;
}
