package outbox.admin.data;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.db.Product;

/** A row of the table of events as a test wrote it, a few microseconds from {@link #NOW}. */
record Line(
    String id,
    String topic,
    @Nullable String tenant,
    int status,
    int attempts,
    Instant availableAt,
    Instant createdAt,
    @Nullable Instant dueAt,
    @Nullable Instant doneAt,
    @Nullable String owner,
    @Nullable String error,
    int kept) {
  /** Ahead of the clock, so that no housekeeping takes a row for an old one. */
  static final Instant NOW = Instant.parse("2999-01-01T12:00:00Z");

  static final String INTERNAL = "internal";
  static final String ERROR = "broken";
  static final int OLD_FAILURE = 2;

  static Duration ticks(int number) {
    return Duration.of(number, ChronoUnit.MICROS);
  }

  static Line any(Random random, int number) {
    int status = random.nextInt(4);
    boolean pending = status == 0 || status == 2;
    return new Line(
        "e%03d".formatted(number),
        random.nextInt(4) == 0 ? INTERNAL : random.nextBoolean() ? "A" : "B",
        random.nextBoolean() ? "t" : null,
        status,
        random.nextInt(4),
        near(random),
        near(random),
        random.nextBoolean() ? near(random) : null,
        status == 1 ? near(random) : null,
        pending && random.nextBoolean() ? "node-" + random.nextInt(2) : null,
        random.nextBoolean() ? ERROR : null,
        random.nextInt(2));
  }

  private static Instant near(Random random) {
    return NOW.plus(ticks(random.nextInt(5) - 2));
  }

  String insert(Product product) {
    return "INSERT INTO outbox_event (event_id, idempotency_key, event_type, tenant_id, payload_text,"
        + " status, attempts, available_at, created_at, due_at, done_at, owner_token, last_error,"
        + " kept) VALUES ("
        + String.join(
            ", ",
            text(id),
            text(id),
            text(topic),
            text(tenant),
            text("{}"),
            "" + status,
            "" + attempts,
            product.literal(availableAt),
            product.literal(createdAt),
            dueAt == null ? "NULL" : product.literal(dueAt),
            doneAt == null ? "NULL" : product.literal(doneAt),
            text(owner),
            text(error),
            "" + kept)
        + ")";
  }

  private static String text(@Nullable String value) {
    return value == null ? "NULL" : "'" + value + "'";
  }

  boolean isUsers() {
    return !topic.equals(INTERNAL);
  }

  boolean isPending() {
    return status == 0 || status == 2;
  }

  boolean isDue() {
    return isPending() && !availableAt.isAfter(NOW);
  }

  boolean isLeased() {
    return isPending() && owner != null && availableAt.isAfter(NOW);
  }

  boolean isDead() {
    return status == 3;
  }

  boolean isOldFailure() {
    return attempts >= OLD_FAILURE && error != null;
  }

  Instant completedAt() {
    return doneAt == null ? Instant.MAX : doneAt;
  }

  /** Since when it could have been handled; null if it is not due yet. */
  @Nullable Instant waitsSince() {
    if (dueAt == null) {
      return createdAt;
    }
    return dueAt.isAfter(NOW) ? null : dueAt.isAfter(createdAt) ? dueAt : createdAt;
  }

  String group() {
    return topic + " of " + tenant;
  }
}
