package outbox.jdbc.db;

/** Where databases are made. Thread-safe. */
interface Server {

  /** Creates an empty database and returns its JDBC URL with user and password. */
  String createDatabase(String name);

  void dropDatabase(String name);
}
