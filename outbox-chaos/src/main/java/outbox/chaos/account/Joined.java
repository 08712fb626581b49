package outbox.chaos.account;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import outbox.chaos.account.Books.JoinRow;
import outbox.chaos.ledger.Entry;
import outbox.chaos.ledger.Fact;
import outbox.chaos.ledger.Topic;

/** Joins count exactly what ended, and each of their waits continues once. */
final class Joined {
  private static final int COMPLETED = 1;
  private static final int FAILED = 2;

  private Joined() {}

  static void check(Books books, Findings findings) {
    Map<String, Set<String>> continuations = new HashMap<>();
    for (Entry entry : books.entries) {
      if (entry.subject().equals(Topic.JOINED.label()) && entry.fact() == Fact.END) {
        continuations.computeIfAbsent(entry.detail(), group -> new HashSet<>()).add(entry.id());
      }
    }
    Set<String> counted = new HashSet<>();
    for (JoinRow join : books.joins) {
      counted.add(join.group());
      count(books, join, findings);
      int times = continuations.getOrDefault(join.group(), Set.of()).size();
      if (times != 1) {
        findings.violation("JOIN: " + join + " continued " + times + " times");
      }
    }
    books.business.forEach(
        (id, row) -> {
          if (row.topic().equals("join") && !counted.contains(id)) {
            findings.violation("JOIN: " + id + " was committed, but does not exist");
          }
        });
  }

  private static void count(Books books, JoinRow join, Findings findings) {
    Books.Row row = books.business.get(join.group());
    String expected = row == null ? "nothing" : row.detail();
    String actual = join.completed() + "+" + join.failed();
    int status = join.failed() == 0 ? COMPLETED : FAILED;
    if (!actual.equals(expected) || join.status() != status) {
      findings.violation(
          "JOIN: " + join + " should have counted " + expected + " and have the status " + status);
    }
  }
}
