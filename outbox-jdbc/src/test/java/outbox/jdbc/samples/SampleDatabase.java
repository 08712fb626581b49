package outbox.jdbc.samples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.model.EventStatus;

/** An empty H2 database with the tables of the imaginary applications that the samples show. */
final class SampleDatabase implements AutoCloseable {
  private final TestDatabase database = TestDatabase.create(Product.H2);

  SampleDatabase() {
    database.execute(
        "CREATE TABLE orders (id BIGINT PRIMARY KEY, item VARCHAR(100))",
        "CREATE TABLE stock (item VARCHAR(100) PRIMARY KEY, quantity INT)",
        "INSERT INTO stock VALUES ('book', 10)");
  }

  DataSource dataSource() {
    return database.dataSource();
  }

  void awaitDone(String eventId) {
    awaitStatus(eventId, EventStatus.DONE);
  }

  void awaitStatus(String eventId, EventStatus expected) {
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() -> assertThat(status(eventId)).isEqualTo(expected.code()));
  }

  /** Waits until the event is given back for later. */
  void awaitDeferred(String eventId) {
    String query = "SELECT COUNT(*) FROM outbox_event WHERE event_id = ? AND owner_token IS NULL";
    await().atMost(Duration.ofSeconds(60)).until(() -> number(query, eventId) == 1);
    assertThat(status(eventId)).isEqualTo(EventStatus.NEW.code());
  }

  /** The status code of an event; -1 if it is not there. */
  int status(String eventId) {
    return number("SELECT status FROM outbox_event WHERE event_id = ?", eventId);
  }

  /** The first column of the first row; -1 if there is none. */
  int number(String query, String... parameters) {
    try (Connection connection = dataSource().getConnection();
        PreparedStatement statement = connection.prepareStatement(query)) {
      for (int i = 0; i < parameters.length; i++) {
        statement.setString(i + 1, parameters[i]);
      }
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? row.getInt(1) : -1;
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    database.close();
  }
}
