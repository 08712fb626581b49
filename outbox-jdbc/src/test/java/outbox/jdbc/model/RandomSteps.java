package outbox.jdbc.model;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import outbox.contracts.store.EventStoreContract.Row;
import outbox.jdbc.model.Queue.Draft;
import outbox.jdbc.model.Queue.Transaction;

/**
 * Throws the dice. Times are few and round, so that instants meet: a lease that ends now, several
 * messages available at once.
 */
final class RandomSteps {
  private static final List<String> OWNERS = List.of("A", "B", "C");
  private static final List<Duration> LEASES = seconds(10, 20, 30, 60);
  private static final List<Duration> TICKS = seconds(1, 5, 10, 10, 20, 30, 61);
  private static final List<Duration> TICKS_BACK = seconds(-1, -10, -30);
  private static final List<Duration> DELAYS = seconds(0, 1, 10, 30);
  private static final List<Duration> DUE = seconds(-10, 0, 5, 30, 60);
  private static final List<Duration> EXPIRIES = seconds(-5, 0, 20, 60, 120);
  private static final int MOST_IDS = 6;

  private final Random random;
  private int enqueued;

  RandomSteps(long seed) {
    this.random = new Random(seed);
  }

  /** The model says what an owner holds: dice alone would seldom hit it. */
  Step<Queue> next(Queue model) {
    String owner = one(OWNERS);
    List<String> ids = ids(owner, model.rows());
    Duration lease = one(LEASES);
    Duration delay = one(DELAYS);
    String by = owner + ".";
    int die = random.nextInt(100);
    if (die < 20) {
      Duration step = random.nextInt(6) == 0 ? one(TICKS_BACK) : one(TICKS);
      return new Step<>("tick " + step, queue -> queue.tick(step));
    } else if (die < 36) {
      return enqueue();
    } else if (die < 60) {
      int size = 1 + random.nextInt(8);
      return new Step<>(
          by + "claim lease=" + lease + " batchSize=" + size,
          queue -> queue.claim(owner, lease, size));
    } else if (die < 67) {
      return new Step<>(by + "ack " + ids, queue -> queue.ack(owner, ids));
    } else if (die < 79) {
      @Nullable String error = random.nextBoolean() ? null : one(List.of("busy", "broken"));
      @Nullable Duration wait = random.nextBoolean() ? null : delay;
      return new Step<>(
          by + "abandon " + ids + " error=" + error + " delay=" + wait,
          queue -> queue.abandon(owner, ids, error, wait));
    } else if (die < 84) {
      return new Step<>(
          by + "defer " + ids + " delay=" + delay, queue -> queue.defer(owner, ids, delay));
    } else if (die < 87) {
      return new Step<>(by + "release " + ids, queue -> queue.release(owner, ids));
    } else if (die < 92) {
      return new Step<>(
          by + "renew " + ids + " lease=" + lease, queue -> queue.renew(owner, ids, lease));
    } else if (die < 94) {
      return new Step<>(by + "fail " + ids, queue -> queue.fail(owner, ids, "hopeless"));
    }
    return new Step<>("reapExpired", Queue::reapExpired);
  }

  private Step<Queue> enqueue() {
    List<Draft> drafts = new ArrayList<>();
    for (int count = 1 + random.nextInt(4); count > 0; count--) {
      @Nullable Duration due = random.nextInt(3) == 0 ? one(DUE) : null;
      @Nullable Duration expiry = random.nextInt(4) == 0 ? one(EXPIRIES) : null;
      boolean never = due != null && expiry != null && expiry.compareTo(due) <= 0;
      drafts.add(new Draft(nextId(), never ? null : due, expiry));
    }
    int die = random.nextInt(10);
    Transaction transaction =
        die < 8 ? Transaction.OWN : die < 9 ? Transaction.GIVEN : Transaction.ROLLED_BACK;
    return new Step<>(
        "enqueue " + drafts + " transaction=" + transaction,
        queue -> queue.enqueue(drafts, transaction));
  }

  /** Not in the order of their making: order by id must not look like order by time. */
  private String nextId() {
    return String.format("%02x-%d", random.nextInt(256), ++enqueued);
  }

  /** Mostly the owner's, and some of anybody's, unknown ones, and the same one twice. */
  private List<String> ids(String owner, Map<String, Row> rows) {
    List<String> all = List.copyOf(rows.keySet());
    List<String> held = all.stream().filter(id -> owner.equals(owner(rows, id))).toList();
    List<String> ids = new ArrayList<>();
    for (int count = random.nextInt(MOST_IDS + 1); count > 0; count--) {
      int die = random.nextInt(20);
      if (die < 15 && !held.isEmpty()) {
        ids.add(one(held));
      } else if (die < 19 && !all.isEmpty()) {
        ids.add(one(all));
      } else {
        ids.add("unknown");
      }
    }
    return ids;
  }

  private static @Nullable String owner(Map<String, Row> rows, String id) {
    Row row = rows.get(id);
    return row == null ? null : row.owner();
  }

  private <T> T one(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  private static List<Duration> seconds(int... seconds) {
    return Arrays.stream(seconds).mapToObj(Duration::ofSeconds).toList();
  }
}
