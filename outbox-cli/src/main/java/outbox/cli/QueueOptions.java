package outbox.cli;

import java.time.Duration;
import outbox.DeadLetters;
import outbox.admin.data.OperatedDatabase;
import outbox.admin.metrics.MetricsSnapshot;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.JdbcInboxStore;
import outbox.jdbc.JdbcOutboxRepository;
import outbox.spi.ConnectionProvider;
import outbox.spi.EndedEventStore;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Which outbox, or which inbox, of which database. */
final class QueueOptions {
  private static final Duration LONGEST_TIMEOUT = Duration.ofHours(1);

  @Mixin DatabaseOptions database = new DatabaseOptions();

  @Option(names = "--inbox", description = "the inbox instead of the outbox")
  boolean inbox;

  @Mixin TableOptions tables = new TableOptions();

  @Option(
      names = "--timeout",
      defaultValue = "5s",
      description = "how long one look may take (default: ${DEFAULT-VALUE})")
  Duration timeout = Duration.ZERO;

  String tableName() {
    return inbox ? tables.inbox : tables.outbox;
  }

  /** Finds the database, with its rates measured over this time. */
  OperatedDatabase open(Duration window) {
    if (timeout.toMillis() < 1 || timeout.compareTo(LONGEST_TIMEOUT) > 0) {
      throw new WrongCallException("--timeout (" + timeout + ") must be from 1ms to 1h");
    }
    return OperatedDatabase.builder(database.shownUrl(), database.dataSource())
        .outboxTable(tables.outbox)
        .inboxTable(tables.inbox)
        .joinTable(tables.joins)
        .waitTopic(tables.waitTopic)
        .timeLimit(timeout)
        .window(window)
        .build();
  }

  OperatedDatabase open() {
    OperatedDatabase found = open(OperatedDatabase.DEFAULT_WINDOW);
    requireTable(found);
    return found;
  }

  void requireTable(OperatedDatabase found) {
    boolean there = inbox ? found.presence().inbox() : found.presence().outbox();
    if (!there) {
      throw new IllegalStateException(
          "table "
              + tableName()
              + " is not there, or not for this user; name it by "
              + (inbox ? "--inbox-table" : "--table")
              + ", or create it: outbox schema migrate"
              + (inbox ? " --inbox" : ""));
    }
  }

  MetricsSnapshot snapshot(OperatedDatabase found) {
    return inbox ? found.inboxSnapshot() : found.snapshot();
  }

  DeadLetters deadLetters(OperatedDatabase found) {
    return inbox ? found.inbox().deadLetters() : found.events().deadLetters();
  }

  ConnectionProvider connections() {
    return new DataSourceConnectionProvider(database.dataSource());
  }

  EndedEventStore store() {
    return inbox
        ? JdbcInboxStore.onTable(tables.inbox).events()
        : JdbcOutboxRepository.builder().tableName(tables.outbox).build();
  }
}
