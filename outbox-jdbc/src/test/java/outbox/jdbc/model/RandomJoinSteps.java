package outbox.jdbc.model;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;

/** Few joins and few messages, so that they meet; every third operation or so meets a fault. */
final class RandomJoinSteps {
  private static final int MOST_IDS = 4;

  private final Random random;
  private int enqueued;
  private int started;

  RandomJoinSteps(long seed) {
    this.random = new Random(seed);
  }

  Step<JoinBook> next(JoinBook model) {
    List<String> messages = names(model, "message ");
    List<String> joins = names(model, "join ");
    List<String> ids = some(messages);
    String join = one(joins, "unknown");
    String message = one(messages, "unknown");
    boolean rolledBack = random.nextInt(5) == 0;
    String undone = rolledBack ? " rolled back" : "";
    int die = random.nextInt(100);
    if (die < 12) {
      Duration by = Duration.ofSeconds(1 + random.nextInt(30));
      return new Step<>("tick " + by, book -> book.tick(by));
    } else if (die < 26) {
      List<String> fresh = List.of(nextId(), nextId());
      return step("enqueue " + fresh, book -> book.enqueue(fresh));
    } else if (die < 34) {
      String name = String.format("j%03d", ++started);
      int expected = 1 + random.nextInt(4);
      int deadline = random.nextInt(3) == 0 ? 1 + random.nextInt(60) : 0;
      return step(
          "start " + name + " expected=" + expected + " deadline=" + deadline,
          book -> book.start(name, expected, deadline));
    } else if (die < 50) {
      return step(
          "attach " + join + " " + ids + undone, book -> book.attach(join, ids, rolledBack));
    } else if (die < 62) {
      return step("claim " + ids, book -> book.claim(ids));
    } else if (die < 72) {
      return step("ack " + ids, book -> book.ack(ids));
    } else if (die < 79) {
      return step("fail " + ids, book -> book.fail(ids));
    } else if (die < 86) {
      boolean completed = random.nextBoolean();
      return step(
          "report " + join + " " + message + " completed=" + completed + undone,
          book -> book.report(join, message, completed, rolledBack));
    } else if (die < 90) {
      String wait = nextId();
      return step("await " + join + " by " + wait, book -> book.await(join, wait));
    } else if (die < 94) {
      return step("cancel " + join + undone, book -> book.cancel(join, rolledBack));
    } else if (die < 97) {
      return step("failOverdue", JoinBook::failOverdue);
    }
    Duration retention = Duration.ofSeconds(random.nextInt(60));
    return step("purge " + retention, book -> book.purge(retention));
  }

  private String nextId() {
    return String.format("m%03d", ++enqueued);
  }

  private Step<JoinBook> step(String text, Function<JoinBook, Object> operation) {
    return new Step<>(text, operation, random.nextInt(3) == 0 ? Fault.any(random) : null);
  }

  private static List<String> names(JoinBook model, String kind) {
    return model.rows().keySet().stream()
        .filter(row -> row.startsWith(kind))
        .map(row -> row.substring(kind.length()))
        .toList();
  }

  /** Mostly the newest, which are not ended yet. */
  private String one(List<String> of, String unknown) {
    if (of.isEmpty() || random.nextInt(25) == 0) {
      return unknown;
    }
    int newest = Math.min(of.size(), 6);
    return random.nextInt(4) == 0
        ? of.get(random.nextInt(of.size()))
        : of.get(of.size() - 1 - random.nextInt(newest));
  }

  private List<String> some(List<String> messages) {
    List<String> ids = new ArrayList<>();
    for (int count = 1 + random.nextInt(MOST_IDS); count > 0; count--) {
      ids.add(one(messages, "unknown"));
    }
    return ids;
  }
}
