package outbox.cli;

import java.time.Duration;
import outbox.DeadLetters;
import outbox.admin.data.OperatedDatabase;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.JdbcInboxStore;
import outbox.jdbc.JdbcOutboxRepository;
import outbox.metrics.MetricsSnapshot;
import outbox.spi.ConnectionProvider;
import outbox.spi.EndedEventStore;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Which outbox, or which inbox, of which database. */
final class QueueOptions {
  @Mixin DatabaseOptions database = new DatabaseOptions();

  @Option(names = "--inbox", description = "the inbox instead of the outbox")
  boolean inbox;

  @Option(
      names = "--table",
      defaultValue = "outbox_event",
      description = "table of the events (default: ${DEFAULT-VALUE})")
  String table = "";

  @Option(
      names = "--inbox-table",
      defaultValue = "outbox_inbox",
      description = "table of the inbox (default: ${DEFAULT-VALUE})")
  String inboxTable = "";

  @Option(
      names = "--timeout",
      defaultValue = "5s",
      description = "how long one look may take (default: ${DEFAULT-VALUE})")
  Duration timeout = Duration.ZERO;

  String tableName() {
    return inbox ? inboxTable : table;
  }

  /** Finds the database, with its rates measured over this time. */
  OperatedDatabase open(Duration window) {
    if (timeout.isZero()) {
      throw new WrongCallException("--timeout (" + timeout + ") must be longer than zero");
    }
    return OperatedDatabase.builder(database.shownUrl(), database.dataSource())
        .outboxTable(table)
        .inboxTable(inboxTable)
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
        ? JdbcInboxStore.onTable(inboxTable).events()
        : JdbcOutboxRepository.builder().tableName(table).build();
  }
}
