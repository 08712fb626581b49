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
  private static final long TOLERANCE_MILLIS = 20;

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
    all.values().forEach(grants -> grants.sort(Comparator.comparingLong(grant -> grant.until)));
    return all;
  }

  private static String owner(Entry entry) {
    return entry.detail().substring(0, entry.detail().indexOf(' '));
  }

  private static long time(Entry entry) {
    return Long.parseLong(entry.detail().substring(entry.detail().indexOf(' ') + 1));
  }

  private void grants(String id, List<Grant> grants) {
    for (int i = 1; i < grants.size(); i++) {
      Grant earlier = grants.get(i - 1);
      String problem = problem(earlier, grants.get(i));
      if (problem != null) {
        findings.violation(
            "FENCE: message "
                + id
                + " of "
                + earlier.claim.node()
                + " "
                + problem
                + " by "
                + grants.get(i).claim.node()
                + " at "
                + grants.get(i).from()
                + "; "
                + causes.near(earlier.from()));
      }
    }
  }

  private @Nullable String problem(Grant earlier, Grant later) {
    Entry end = earlier.end;
    if (end == null) {
      boolean early = later.from() < earlier.until - TOLERANCE_MILLIS;
      return early
              && causes.ofRepetition(earlier.claim.node(), earlier.from(), later.from()) == null
          ? "was claimed before its lease had ended"
          : null;
    }
    if (end.fact() != Fact.RELEASED) {
      return "was ended (" + end.fact() + ") by its worker, and claimed";
    }
    return time(end) > later.from() + TOLERANCE_MILLIS
        ? "was given back by a worker that had lost it, after it was claimed"
        : null;
  }

  private static final class Grant {
    private final Entry claim;
    private final String owner;
    private final long until;
    private @Nullable Entry end;

    private Grant(Entry claim) {
      this.claim = claim;
      this.owner = owner(claim);
      this.until = time(claim);
    }

    /** When it was claimed, by the database's clock. */
    private long from() {
      return until - Pace.LEASE.toMillis();
    }
  }
}
