package outbox.chaos.account;

import java.sql.SQLException;
import java.util.List;
import outbox.chaos.fault.Strike;
import outbox.chaos.ledger.Ledger;
import outbox.chaos.server.TriedServer;

/** The account of one round. */
public final class Account {
  private static final List<String> LIVE =
      List.of(
          "SELECT count(*) FROM outbox_event WHERE status IN (0, 2)",
          "SELECT count(*) FROM queue_event WHERE status IN (0, 2)",
          "SELECT count(*) FROM outbox_inbox WHERE status IN (0, 2)");

  private Account() {}

  /** How many messages of all databases are still to be handled. */
  public static long live(TriedServer server) throws SQLException {
    long live = 0;
    for (String sql : LIVE) {
      live += server.count(TriedServer.MAIN, sql);
    }
    for (String tenant : TriedServer.TENANTS) {
      live += server.count(tenant, LIVE.get(0));
    }
    return live;
  }

  /** Compares the books of the round. */
  public static Findings close(TriedServer server, Ledger ledger, List<Strike> strikes)
      throws SQLException {
    return check(Books.open(server, ledger), strikes);
  }

  static Findings check(Books books, List<Strike> strikes) {
    Causes causes = new Causes(strikes, books.entries);
    Findings findings = new Findings(causes.stallsOfTheMachine());
    Handled.check(books, causes, findings);
    Repeated.check(books, causes, findings);
    Effects.check(books, findings);
    Joined.check(books, findings);
    Queued.check(books, causes, findings);
    return findings;
  }

  /** Empties all tables for the next round. */
  public static void clear(TriedServer server, Ledger ledger) throws SQLException {
    for (String database : Books.databases()) {
      for (String table : List.of("outbox_event", "business", "effect")) {
        server.execute(database, "TRUNCATE TABLE " + table);
      }
    }
    for (String sql :
        List.of(
            "DELETE FROM outbox_join",
            "TRUNCATE TABLE queue_event",
            "TRUNCATE TABLE outbox_inbox")) {
      server.execute(TriedServer.MAIN, sql);
    }
    ledger.clear();
  }
}
