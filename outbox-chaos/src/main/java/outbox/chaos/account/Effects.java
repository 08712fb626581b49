package outbox.chaos.account;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import outbox.chaos.ledger.Fact;
import outbox.chaos.ledger.Topic;

/** Effects in the database of the event exactly once; messages of the inbox and keys as well. */
final class Effects {
  private final Books books;
  private final Findings findings;

  private Effects(Books books, Findings findings) {
    this.books = books;
    this.findings = findings;
  }

  static void check(Books books, Findings findings) {
    Effects check = new Effects(books, findings);
    check.events();
    check.inbox();
    check.keys();
  }

  private void events() {
    books.business.forEach(
        (id, row) -> {
          if (row.topic().equals(Topic.EFFECT.label())) {
            once("effect", id);
          }
        });
    books.effects.forEach(
        (id, count) -> {
          if (!books.business.containsKey(id) && !books.inbox.containsKey(id)) {
            findings.violation("GHOST: an effect of " + id + ", which does not exist");
          }
        });
  }

  private void inbox() {
    books.inbox.forEach(
        (id, status) -> {
          findings.event("inbox");
          if (status == 1) {
            once("inbox", id);
          } else {
            findings.violation("STUCK: message " + id + " has the status " + status);
          }
        });
    books.entries.stream()
        .filter(entry -> entry.fact() == Fact.RECEIVED && !books.inbox.containsKey(entry.id()))
        .forEach(
            entry ->
                findings.violation(
                    "VANISHED: message " + entry.id() + " was received at " + entry.at()));
  }

  private void once(String what, String id) {
    int times = books.effects.getOrDefault(id, 0);
    if (times != 1) {
      findings.violation("EFFECT: " + what + " " + id + " took effect " + times + " times");
    }
  }

  /** One event for each key, from whichever node. */
  private void keys() {
    Map<String, Set<String>> ids = new HashMap<>();
    books.business.forEach(
        (id, row) -> {
          if (row.topic().equals(Topic.KEYED.label())) {
            ids.computeIfAbsent(row.detail(), key -> new HashSet<>()).add(id);
          }
        });
    ids.forEach(
        (key, events) -> {
          if (events.size() > 1) {
            findings.violation("KEY: " + key + " has the events " + events);
          }
        });
  }
}
