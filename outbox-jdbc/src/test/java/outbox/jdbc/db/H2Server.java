package outbox.jdbc.db;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/** Databases in this JVM's memory, kept until they are dropped. */
enum H2Server implements Server {
  INSTANCE;

  @Override
  public String createDatabase(String name) {
    return "jdbc:h2:mem:" + name + ";DB_CLOSE_DELAY=-1";
  }

  @Override
  public void dropDatabase(String name) {
    try (Connection connection = DriverManager.getConnection("jdbc:h2:mem:" + name)) {
      connection.createStatement().execute("SHUTDOWN");
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
