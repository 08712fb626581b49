package outbox.jdbc.model;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.model.InboxBook.Content;
import outbox.jdbc.model.InboxBook.Held;
import outbox.jdbc.model.InboxBook.Kept;

/** Few keys and few contents, so that they meet; every third operation or so meets a fault. */
final class RandomInboxSteps {
  private static final List<String> OWNERS = List.of("A", "B", "C");
  private static final List<Duration> LEASES =
      List.of(Duration.ofSeconds(10), Duration.ofSeconds(20), Duration.ofSeconds(60));
  private static final int RECENT = 6;

  private final Random random;
  private int brought;

  RandomInboxSteps(long seed) {
    this.random = new Random(seed);
  }

  Step<InboxBook> next(InboxBook model) {
    Map<String, Kept> rows = model.rows();
    String key = key(rows);
    Content content = content();
    boolean given = random.nextInt(3) == 0;
    String how = given ? " in a transaction" : "";
    String owner = one(OWNERS);
    List<Held> held = held(owner, rows);
    int die = random.nextInt(100);
    if (die < 14) {
      Duration by = Duration.ofSeconds(one(List.of(1, 5, 10, 10, 20, 61)));
      return new Step<>("tick " + by, book -> book.tick(by));
    } else if (die < 28) {
      String text = "receive " + key + " " + content + how;
      return isFilledApart(rows.get(key), given)
          ? new Step<>(text, book -> book.receive(key, content, given))
          : step(text, book -> book.receive(key, content, given));
    } else if (die < 40) {
      return step(
          "enqueue " + key + " " + content + how, book -> book.enqueue(key, content, given));
    } else if (die < 48) {
      return step(
          "alreadyProcessed " + key + " hash=" + content.hash() + how,
          book -> book.alreadyProcessed(key, content.hash(), given));
    } else if (die < 51) {
      return step("markProcessing " + key, book -> book.markProcessing(key));
    } else if (die < 54) {
      return step("markProcessed " + key + how, book -> book.markProcessed(key, given));
    } else if (die < 57) {
      return step("markDead " + key, book -> book.markDead(key));
    } else if (die < 63) {
      List<String> keys = List.of(key, key(rows), key(rows));
      return step("replay " + keys, book -> book.replay(keys));
    } else if (die < 80) {
      Duration lease = one(LEASES);
      int size = 1 + random.nextInt(4);
      return new Step<>(
          owner + ".claim lease=" + lease + " batchSize=" + size,
          book -> book.claim(owner, lease, size));
    } else if (die < 86) {
      return step(owner + ".ack " + held, book -> book.ack(owner, held));
    } else if (die < 93) {
      String error = random.nextBoolean() ? null : "busy";
      Duration delay = random.nextBoolean() ? null : Duration.ofSeconds(1 + random.nextInt(20));
      return step(
          owner + ".abandon " + held + " error=" + error + " delay=" + delay,
          book -> book.abandon(owner, held, error, delay));
    } else if (die < 96) {
      return step(owner + ".fail " + held, book -> book.fail(owner, held, "hopeless"));
    }
    return new Step<>("reapExpired", InboxBook::reapExpired);
  }

  private Step<InboxBook> step(String text, Function<InboxBook, Object> operation) {
    return new Step<>(text, operation, random.nextInt(3) == 0 ? Fault.any(random) : null);
  }

  /** Content for a known key is a second statement: a fault may leave it seen, but not filled. */
  private static boolean isFilledApart(@Nullable Kept kept, boolean given) {
    return kept != null && !given && kept.message().contains(" null null ");
  }

  private String key(Map<String, Kept> rows) {
    if (rows.isEmpty() || random.nextInt(6) == 0) {
      return String.format("k%03d", ++brought);
    }
    List<String> all = List.copyOf(rows.keySet());
    return all.get(all.size() - 1 - random.nextInt(Math.min(all.size(), RECENT)));
  }

  private Content content() {
    @Nullable String hash = random.nextBoolean() ? null : one(List.of("1", "2"));
    @Nullable Duration due =
        random.nextInt(3) == 0 ? Duration.ofSeconds(one(List.of(-5, 5, 30))) : null;
    return new Content(one(List.of("bill", "order")), one(List.of("", "x", "y")), hash, due);
  }

  /** Mostly the owner's as they are, some of older content, some of others. */
  private List<Held> held(String owner, Map<String, Kept> rows) {
    List<Held> held = new ArrayList<>();
    rows.forEach(
        (key, kept) -> {
          boolean mine = owner.equals(kept.event().owner());
          if (mine ? random.nextInt(3) > 0 : random.nextInt(12) == 0) {
            int version = Integer.parseInt(kept.message().replaceAll(".*version=(\\d+).*", "$1"));
            held.add(new Held(key, random.nextInt(6) == 0 ? Math.max(1, version - 1) : version));
          }
        });
    return held;
  }

  private <T> T one(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }
}
