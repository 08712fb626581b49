package outbox.jdbc.internal.join;

import java.sql.Connection;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import outbox.jdbc.internal.sql.Chunks;
import outbox.jdbc.internal.sql.Parameters;
import outbox.jdbc.internal.sql.Statements;
import outbox.model.Join;
import outbox.model.JoinIdentifier;
import outbox.model.JoinStatus;
import outbox.model.StepStatus;
import outbox.spi.JoinStore.Excess;
import outbox.spi.JoinStore.Settlement;

/**
 * Changes joins whose messages are locked, in the order joins by id, then waiting messages. Each
 * method runs inside a transaction.
 */
public final class JoinProgress {
  private final Statements statements;
  private final JoinRows rows;

  public JoinProgress(Statements statements) {
    this.statements = statements;
    this.rows = new JoinRows(statements.dialect());
  }

  /** Ends the pending steps of the messages in all of their joins. */
  public Settlement settle(Connection conn, Collection<String> messageIds, StepStatus end) {
    StepFlip flip = JoinStatements.stepFlip(statements);
    return count(conn, flip.flip(conn, messageIds, end), end, flip.counts());
  }

  /** Ends pending steps of one join, which is locked; returns how many there were. */
  int flip(Connection conn, JoinIdentifier join, Collection<String> messageIds, StepStatus end) {
    int flipped = 0;
    for (String id : messageIds) {
      flipped +=
          statements.update(conn, "flip_member", step(join, id).number("status", end.code()));
    }
    return flipped;
  }

  public Settlement count(Connection conn, StepFlip.Flipped flipped, StepStatus end) {
    return count(conn, List.of(flipped), end, false);
  }

  /** What is one too many does not count; a join that had ended already is left alone. */
  private Settlement count(
      Connection conn, List<StepFlip.Flipped> flipped, StepStatus end, boolean stored) {
    List<Join> changed = new ArrayList<>();
    List<Excess> excess = new ArrayList<>();
    for (StepFlip.Flipped each : flipped) {
      Join before = each.read().join();
      Join after = before.after(end, each.steps(), each.read().at());
      int counted = before.missingSteps() - after.missingSteps();
      if (counted > 0) {
        changed.add(after);
      }
      if (after.isComplete() && each.steps() > counted) {
        excess.add(new Excess(after, each.steps() - counted));
      }
    }
    if (!stored) {
      store(conn, changed);
    }
    return new Settlement(woken(conn, changed), excess);
  }

  /** Ends locked joins as they are. */
  public Settlement end(Connection conn, Collection<JoinRows.Read> locked, JoinStatus end) {
    List<Join> changed =
        locked.stream()
            .filter(read -> !read.join().status().isFinal())
            .map(read -> read.join().ended(end, read.at()))
            .toList();
    store(conn, changed);
    return new Settlement(woken(conn, changed), List.of());
  }

  /** Locks joins in the order of their ids. */
  public Map<String, JoinRows.Read> lock(Connection conn, SortedSet<String> joinIds) {
    Map<String, JoinRows.Read> locked = new LinkedHashMap<>();
    for (List<String> chunk : chunks(joinIds)) {
      statements
          .query(conn, "lock_joins", ids(chunk), rows::read)
          .forEach(read -> locked.put(read.join().id().value(), read));
    }
    return locked;
  }

  /** Locks a join that must exist. */
  public JoinRows.Read lock(Connection conn, JoinIdentifier join) {
    return lock(conn, new TreeSet<>(Set.of(join.value()))).values().stream()
        .findFirst()
        .orElseThrow(() -> unknown(join));
  }

  public Optional<JoinRows.Read> find(Connection conn, JoinIdentifier join) {
    Parameters parameters = statements.parameters().text("join", join.value());
    return statements.query(conn, "find_join", parameters, rows::read).stream().findFirst();
  }

  public static IllegalStateException unknown(JoinIdentifier join) {
    return new IllegalStateException("join " + join + " does not exist; start it first");
  }

  private void store(Connection conn, List<Join> changed) {
    if (!changed.isEmpty()) {
      statements.batch(conn, "update_join", changed.stream().map(this::parameters).toList());
    }
  }

  /** Wakes who waits for those of the joins that have ended, and returns these. */
  private List<Join> woken(Connection conn, List<Join> changed) {
    List<Join> ended = changed.stream().filter(join -> join.status().isFinal()).toList();
    if (!ended.isEmpty()) {
      List<String> ids = ended.stream().map(join -> join.id().value()).toList();
      JoinStatements.stepFlip(statements).wake(conn, ids);
    }
    return ended;
  }

  private Parameters parameters(Join join) {
    return statements
        .parameters()
        .text("join", join.id().value())
        .number("completed", join.completedSteps())
        .number("failed", join.failedSteps())
        .number("status", join.status().code());
  }

  public Parameters step(JoinIdentifier join, String messageId) {
    return statements.parameters().text("join", join.value()).text("message", messageId);
  }

  public Parameters ids(List<String> ids) {
    return statements.parameters().ids(ids);
  }

  public <T> List<List<T>> chunks(Collection<T> all) {
    return Chunks.of(all, statements.dialect().maxIds());
  }
}
