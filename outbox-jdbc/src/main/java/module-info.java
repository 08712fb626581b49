/** The outbox on plain JDBC: stores, dialects, schema and transactions. */
@SuppressWarnings({"module", "opens"})
module dev.outbox.jdbc {
  requires transitive dev.outbox.core;
  requires static org.postgresql.jdbc;

  exports outbox.jdbc;
  exports outbox.jdbc.schema;

  // Not packages but folders of scripts, for tools such as Flyway and Liquibase.
  opens outbox.jdbc.schema.h2;
  opens outbox.jdbc.schema.mariadb;
  opens outbox.jdbc.schema.mysql;
  opens outbox.jdbc.schema.postgresql;
  opens outbox.jdbc.schema.sqlserver;

  exports outbox.jdbc.internal.query to
      dev.outbox.admin.data;
  exports outbox.jdbc.internal.sql to
      dev.outbox.admin.data;
}
