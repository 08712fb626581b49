package outbox.chaos.scenario;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import outbox.chaos.scenario.Journal.Entry;
import outbox.chaos.scenario.Journal.Fact;
import outbox.jdbc.schema.OutboxSchema;

/** Compares what the database has with what the processes wrote down. */
final class Account {
  private final DataSource database;
  private final List<Path> journals;

  Account(DataSource database, Path... journals) {
    this.database = database;
    this.journals = List.of(journals);
  }

  /** Makes the tables that the account is about. */
  static void open(DataSource database) throws SQLException {
    OutboxSchema.of(database).deploy();
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE business (event_id VARCHAR(36) PRIMARY KEY)");
    }
  }

  /** Waits until no event is left to be delivered. */
  void awaitAllSettled() {
    Awaitility.await()
        .atMost(Chaos.PATIENCE)
        .pollInterval(Duration.ofMillis(100))
        .ignoreExceptionsInstanceOf(SQLException.class)
        .until(() -> ids("SELECT event_id FROM outbox_event WHERE status IN (0, 2)").isEmpty());
  }

  void awaitHandled(int atLeast) {
    await(Fact.HANDLED, atLeast);
  }

  void await(Fact fact, int atLeast) {
    Awaitility.await()
        .atMost(Chaos.PATIENCE)
        .pollInterval(Duration.ofMillis(20))
        .until(() -> entries(fact).count() >= atLeast);
  }

  /** The books balance: all that was committed was handled, and nothing else. */
  void assertNothingLost() throws SQLException {
    Set<String> stored = stored();
    Set<String> handled = eventIds(Fact.HANDLED);
    assertThat(missing(eventIds(Fact.COMMITTED), stored)).as("committed, but not there").isEmpty();
    assertThat(missing(stored, handled)).as("stored, but never handled").isEmpty();
    assertThat(missing(handled, stored)).as("handled, but not stored").isEmpty();
    assertThat(ids("SELECT event_id FROM business")).as("business rows").isEqualTo(stored);
    assertThat(ids("SELECT event_id FROM outbox_event WHERE status <> 1")).as("not done").isEmpty();
    Set<String> rolledBack = eventIds(Fact.ROLLED_BACK);
    assertThat(missing(rolledBack, handled)).as("rolled back, not handled").isEqualTo(rolledBack);
  }

  void assertNoneTwice() {
    assertThat(handledTwice()).as("handled twice").isEmpty();
  }

  Set<String> handledTwice() {
    Map<String, Long> times = entries(Fact.HANDLED).collect(groupingBy(Entry::eventId, counting()));
    return times.keySet().stream().filter(id -> times.getOrDefault(id, 0L) > 1).collect(toSet());
  }

  Stream<Entry> entries(Fact fact) {
    return journals.stream().map(Journal::read).flatMap(List::stream).filter(e -> e.fact() == fact);
  }

  Set<String> eventIds(Fact fact) {
    return entries(fact).map(Entry::eventId).collect(toSet());
  }

  Set<String> stored() throws SQLException {
    return ids("SELECT event_id FROM outbox_event");
  }

  /** The first column of a query, as a set. */
  Set<String> ids(String sql) throws SQLException {
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      Set<String> ids = new HashSet<>();
      while (rows.next()) {
        ids.add(rows.getString(1));
      }
      return ids;
    }
  }

  private static Set<String> missing(Set<String> expected, Set<String> present) {
    return expected.stream().filter(id -> !present.contains(id)).collect(toSet());
  }
}
