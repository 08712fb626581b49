package outbox.chaos.account;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.chaos.ledger.Entry;
import outbox.chaos.ledger.Fact;
import outbox.chaos.ledger.Topic;
import outbox.chaos.node.Pace;

/**
 * A message of the queue belongs to one worker at a time: it is handed out again only after its
 * lease, and a worker that has lost it can no longer end the message or give it back.
 */
final class Queued {
  private final Causes causes;
  private final Findings findings;

  private Queued(Causes causes, Findings findings) {
    this.causes = causes;
    this.findings = findings;
  }

  static void check(Books books, Causes causes, Findings findings) {
    Queued check = new Queued(causes, findings);
    grants(books.entries).forEach(check::grants);
  }

  private static Map<String, List<Grant>> grants(List<Entry> entries) {
    Map<String, List<Grant>> all = new HashMap<>();
    for (Entry entry : entries) {
      if (entry.subject().equals(Topic.QUEUE.label()) && entry.detail().contains(" ")) {
        List<Grant> grants = all.computeIfAbsent(entry.id(), id -> new ArrayList<>(1));
        if (entry.fact() == Fact.CLAIMED) {
          grants.add(new Grant(entry));
        } else {
          grants.stream()
              .filter(grant -> grant.owner.equals(owner(entry)))
              .forEach(grant -> grant.end = entry);
        }
      }
    }
    all.values().forEach(grants -> grants.sort(Comparator.comparingLong(Grant::until)));
    return all;
  }

  private static String owner(Entry entry) {
    return word(entry, 0);
  }

  /** When the worker called. */
  private static long called(Entry entry) {
    return Long.parseLong(word(entry, 1));
  }

  private static String word(Entry entry, int index) {
    return entry.detail().split(" ", -1)[index];
  }

  private void grants(String id, List<Grant> grants) {
    for (int i = 1; i < grants.size(); i++) {
      Grant earlier = grants.get(i - 1);
      Grant later = grants.get(i);
      String problem = problem(earlier, later);
      if (problem != null) {
        findings.violation(
            "FENCE: message "
                + id
                + " of "
                + earlier.claim.node()
                + " "
                + problem
                + " by "
                + later.claim.node()
                + " at "
                + later.claim.at()
                + "; "
                + causes.near(earlier.claim.at()));
      }
    }
  }

  /** The order of the grants is that of the database's clock, unless that was moved meanwhile. */
  private @Nullable String problem(Grant earlier, Grant later) {
    long from = called(earlier.claim);
    long to = later.claim.at();
    if (causes.isClockMoved(
        Math.min(from, called(later.claim)), Math.max(earlier.claim.at(), to))) {
      return null;
    }
    Entry end = earlier.end;
    if (end == null) {
      boolean early = to < from + Pace.LEASE.toMillis();
      return early && causes.ofRepetition(earlier.claim.node(), from, to) == null
          ? "was claimed before its lease had ended"
          : null;
    }
    if (end.fact() != Fact.RELEASED) {
      return "was ended (" + end.fact() + ") by its worker, and claimed";
    }
    return called(end) > to
        ? "was given back by a worker that had lost it, after it was claimed"
        : null;
  }

  private static final class Grant {
    private final Entry claim;
    private final String owner;
    private @Nullable Entry end;

    private Grant(Entry claim) {
      this.claim = claim;
      this.owner = owner(claim);
    }

    /** The end of its lease by the database's clock. */
    private long until() {
      return Long.parseLong(word(claim, 2));
    }
  }
}
