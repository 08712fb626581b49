package outbox.model;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Which dead letters are meant: those that meet every condition, where null is none. Immutable.
 *
 * @param topic of this topic
 * @param tenantId of this tenant; messages of an inbox have none
 * @param source from this sender; messages of an outbox have none
 * @param correlationId with this correlation id; messages of an inbox have none
 * @param errorContains whose error has this text in it, case by case
 * @param diedFrom that ended at this instant or later
 * @param diedBefore that ended before this instant
 */
public record DeadLetterFilter(
    @Nullable String topic,
    @Nullable String tenantId,
    @Nullable String source,
    @Nullable String correlationId,
    @Nullable String errorContains,
    @Nullable Instant diedFrom,
    @Nullable Instant diedBefore) {

  private static final DeadLetterFilter ALL =
      new DeadLetterFilter(null, null, null, null, null, null, null);

  /** Every dead letter. */
  public static DeadLetterFilter all() {
    return ALL;
  }

  /** Returns this filter for one topic; null for all. */
  public DeadLetterFilter topic(String value) {
    return new DeadLetterFilter(
        requireNonNull(value, "topic"),
        tenantId,
        source,
        correlationId,
        errorContains,
        diedFrom,
        diedBefore);
  }

  /** Returns this filter for one tenant; null for all. */
  public DeadLetterFilter tenantId(String value) {
    return new DeadLetterFilter(
        topic,
        requireNonNull(value, "tenantId"),
        source,
        correlationId,
        errorContains,
        diedFrom,
        diedBefore);
  }

  /** Returns this filter for one sender of inbox messages; null for all. */
  public DeadLetterFilter source(String value) {
    return new DeadLetterFilter(
        topic,
        tenantId,
        requireNonNull(value, "source"),
        correlationId,
        errorContains,
        diedFrom,
        diedBefore);
  }

  /** Returns this filter for one correlation id; null for all. */
  public DeadLetterFilter correlationId(String value) {
    return new DeadLetterFilter(
        topic,
        tenantId,
        source,
        requireNonNull(value, "correlationId"),
        errorContains,
        diedFrom,
        diedBefore);
  }

  /** Returns this filter for errors that contain a text; null for all. */
  public DeadLetterFilter errorContains(String value) {
    return new DeadLetterFilter(
        topic,
        tenantId,
        source,
        correlationId,
        requireNonNull(value, "errorContains"),
        diedFrom,
        diedBefore);
  }

  /** Returns this filter for messages that died at this instant or later; null for all. */
  public DeadLetterFilter diedFrom(Instant value) {
    return new DeadLetterFilter(
        topic,
        tenantId,
        source,
        correlationId,
        errorContains,
        requireNonNull(value, "diedFrom"),
        diedBefore);
  }

  /** Returns this filter for messages that died before this instant; null for all. */
  public DeadLetterFilter diedBefore(Instant value) {
    return new DeadLetterFilter(
        topic,
        tenantId,
        source,
        correlationId,
        errorContains,
        diedFrom,
        requireNonNull(value, "diedBefore"));
  }
}
