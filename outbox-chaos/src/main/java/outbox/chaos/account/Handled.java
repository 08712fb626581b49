package outbox.chaos.account;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import outbox.chaos.account.Books.Row;
import outbox.chaos.ledger.Entry;
import outbox.chaos.ledger.Fact;
import outbox.chaos.ledger.Topic;

/** All that was committed was handled by each of its listeners, and nothing else was. */
final class Handled {
  private static final String JOIN = "join";

  private final Books books;
  private final Causes causes;
  private final Findings findings;
  private final Map<String, Set<String>> ended = new HashMap<>();

  private Handled(Books books, Causes causes, Findings findings) {
    this.books = books;
    this.causes = causes;
    this.findings = findings;
  }

  static void check(Books books, Causes causes, Findings findings) {
    Handled check = new Handled(books, causes, findings);
    books.entries.forEach(check::entry);
    books.business.forEach(check::row);
    books.unfinished.forEach(check::unfinished);
  }

  private void entry(Entry entry) {
    if (entry.fact() == Fact.END) {
      ended.computeIfAbsent(entry.id(), id -> new HashSet<>()).add(entry.subject());
    }
    boolean known = isKnown(entry);
    if (entry.fact() == Fact.START && !known) {
      findings.violation(
          "GHOST: "
              + entry.subject()
              + " "
              + entry.id()
              + " was handled by "
              + entry.node()
              + " at "
              + entry.at()
              + ", but its transaction has not committed; "
              + causes.near(entry.at()));
    }
    if (entry.fact() == Fact.COMMITTED && !known) {
      findings.violation(
          "VANISHED: the commit of "
              + entry.subject()
              + " "
              + entry.id()
              + " returned at "
              + entry.at()
              + ", but its row is not there; "
              + causes.near(entry.at()));
    }
  }

  /** A continuation is known by its join; messages of the inbox have a check of their own. */
  private boolean isKnown(Entry entry) {
    return switch (entry.subject()) {
      case "inbox" -> books.inbox.containsKey(entry.id());
      case "joined" -> books.business.containsKey(entry.detail());
      default -> books.business.containsKey(entry.id());
    };
  }

  /** Waits and continuations of joins have no row of the application. */
  private void unfinished(String id, int status) {
    if (!books.business.containsKey(id)) {
      findings.violation("UNFINISHED: a message of a join, " + id + ", has the status " + status);
    }
  }

  private void row(String id, Row row) {
    findings.event(row.topic());
    if (row.topic().equals(JOIN)) {
      return;
    }
    Topic topic = Topic.of(row.topic());
    Integer status = books.unfinished.get(id);
    if (status != null && status != Books.DEAD) {
      findings.violation("STUCK: " + row.topic() + " " + id + " has the status " + status);
    } else if (status != null && !topic.mayDie()) {
      findings.violation("DEAD: " + row.topic() + " " + id + " was given up");
    } else if (status == null && topic.mustDie()) {
      findings.violation("SURVIVED: " + row.topic() + " " + id + " should be dead");
    }
    Set<String> listeners = ended.getOrDefault(id, Set.of());
    if (!listeners.containsAll(topic.listeners()) && status == null) {
      findings.violation(
          "LOST: " + row.topic() + " " + id + " is done, but was only handled by " + listeners);
    }
  }
}
