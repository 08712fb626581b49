package outbox.chaos.account;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import outbox.chaos.ledger.Entry;
import outbox.chaos.ledger.Fact;
import outbox.chaos.ledger.Topic;

/**
 * A call that ended well is repeated only if a fault hit its node or the database, and no two calls
 * run at once, however they end, unless a fault kept the first one's node from renewing its lease.
 */
final class Repeated {
  private final Causes causes;
  private final Findings findings;

  private Repeated(Causes causes, Findings findings) {
    this.causes = causes;
    this.findings = findings;
  }

  static void check(Books books, Causes causes, Findings findings) {
    Repeated check = new Repeated(causes, findings);
    calls(books.entries).forEach(check::calls);
  }

  /** By listener and id, in the order of their begin. */
  private static Map<String, List<Call>> calls(List<Entry> entries) {
    Map<String, List<Call>> all = new HashMap<>();
    for (Entry entry : entries) {
      if (isOrdinary(entry)) {
        List<Call> calls =
            all.computeIfAbsent(entry.subject() + " " + entry.id(), key -> new ArrayList<>(1));
        if (entry.fact() == Fact.START) {
          calls.add(new Call(entry));
        } else if (entry.fact() == Fact.END || entry.fact() == Fact.THREW) {
          open(calls, entry.node()).ifPresent(call -> call.end = entry);
        }
      }
    }
    return all;
  }

  /** Workers by hand are late on purpose, and poison is repeated on purpose. */
  private static boolean isOrdinary(Entry entry) {
    return !entry.subject().equals(Topic.QUEUE.label())
        && !entry.subject().equals(Topic.HANG.label())
        && !entry.subject().equals(Topic.HALT.label())
        && !entry.subject().equals(Topic.LETTER.label());
  }

  /** These end before their transaction does; their effects are checked instead. */
  private static boolean isTransactional(Entry call) {
    return call.subject().equals(Topic.EFFECT.label()) || call.subject().equals("inbox");
  }

  /** The latest one of the node: an earlier one ended with its process. */
  private static Optional<Call> open(List<Call> calls, String node) {
    return calls.stream()
        .filter(call -> call.end == null && call.start.node().equals(node))
        .reduce((earlier, later) -> later);
  }

  private void calls(String what, List<Call> calls) {
    for (int i = 1; i < calls.size(); i++) {
      Call earlier = calls.get(i - 1);
      if (earlier.end != null) {
        compare(what, earlier.start, earlier.end, calls.get(i).start);
      }
    }
  }

  private void compare(String what, Entry start, Entry end, Entry again) {
    boolean overlap = again.at() < end.at();
    if (end.fact() == Fact.THREW && !overlap) {
      return;
    }
    String cause =
        overlap
            ? causes.ofOverlap(start.node(), start.at(), again.at())
            : causes.ofRepetition(start.node(), start.at(), again.at());
    if (cause == null && !overlap && isTransactional(start)) {
      findings.repetition("again, its transaction was rolled back");
    } else if (cause != null) {
      findings.repetition((overlap ? "beside itself, " : "again, ") + cause);
    } else {
      findings.violation(
          (overlap ? "TWICE AT ONCE: " : "TWICE: ")
              + what
              + " was handled by "
              + start.node()
              + " from "
              + start.at()
              + " to "
              + end.at()
              + " and by "
              + again.node()
              + " at "
              + again.at()
              + ", and no fault explains it; "
              + causes.near(start.at()));
    }
  }

  private static final class Call {
    private final Entry start;
    private @Nullable Entry end;

    private Call(Entry start) {
      this.start = start;
    }
  }
}
