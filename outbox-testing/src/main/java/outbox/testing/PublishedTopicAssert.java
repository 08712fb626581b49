package outbox.testing;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.assertj.core.api.AbstractAssert;
import org.assertj.core.api.ThrowingConsumer;
import org.jspecify.annotations.Nullable;
import outbox.model.EventStatus;

/**
 * Assertions about the events of one topic. Each step narrows them down to those that fit, and
 * fails if none does; its message shows those that fitted until then.
 */
public final class PublishedTopicAssert
    extends AbstractAssert<PublishedTopicAssert, List<PublishedEvent>> {
  private final PublishedEventsAssert all;
  private final String wanted;

  PublishedTopicAssert(PublishedEventsAssert all, String wanted, List<PublishedEvent> events) {
    super(events, PublishedTopicAssert.class);
    this.all = all;
    this.wanted = wanted;
  }

  /** Keeps the events whose payload, read as the class of the object, equals it. */
  public PublishedTopicAssert withPayload(Object payload) {
    Class<?> type = requireNonNull(payload, "payload").getClass();
    return with("payload " + payload, event -> payload.equals(event.payload(type)));
  }

  /** Keeps the events whose payload, read as the class, fits. */
  public <T> PublishedTopicAssert withPayload(Class<T> type, Predicate<T> fits) {
    return with(
        "a payload that fits, of " + type.getSimpleName(), event -> fits.test(event.payload(type)));
  }

  /**
   * Keeps the events whose payload, read as the class, fulfils the assertions of the consumer. If
   * none does, the message has the failure of the last one.
   */
  public <T> PublishedTopicAssert withPayloadSatisfying(
      Class<T> type, ThrowingConsumer<T> assertions) {
    AssertionError[] last = new AssertionError[1];
    List<PublishedEvent> fitting =
        actual.stream()
            .filter(
                event -> {
                  try {
                    assertions.accept(event.payload(type));
                    return true;
                  } catch (AssertionError e) {
                    last[0] = e;
                    return false;
                  }
                })
            .toList();
    String text = "a payload of " + type.getSimpleName() + " that satisfies the assertions";
    return narrowed(
        text, fitting, last[0] == null ? "" : "\nThe last one failed: " + last[0].getMessage());
  }

  /** Keeps the events with this idempotency key. */
  public PublishedTopicAssert withKey(String key) {
    return with(
        "key " + key,
        event ->
            event.envelope().hasIdempotencyKey() && key.equals(event.envelope().idempotencyKey()));
  }

  /** Keeps the events of this tenant. */
  public PublishedTopicAssert withTenant(String tenant) {
    return with("tenant " + tenant, event -> tenant.equals(event.envelope().tenantId()));
  }

  /** Keeps the events that are about this aggregate. */
  public PublishedTopicAssert withAggregate(String type, String id) {
    String aggregate = type + "/" + id;
    return with("aggregate " + aggregate, event -> aggregate.equals(event.aggregate()));
  }

  /** Keeps the events with this header. */
  public PublishedTopicAssert withHeader(String name, String value) {
    return with(
        "header " + name + "=" + value,
        event -> value.equals(event.envelope().headers().get(name)));
  }

  /** Keeps the events that are due at this instant; null for those that are due at once. */
  public PublishedTopicAssert withDueTime(@Nullable Instant dueAt) {
    return with("due time " + dueAt, event -> Objects.equals(dueAt, event.envelope().dueAt()));
  }

  /** Keeps the events with this status. */
  public PublishedTopicAssert withStatus(EventStatus status) {
    return with("status " + status, event -> event.status() == status);
  }

  /** Keeps the events of which so many deliveries have failed. */
  public PublishedTopicAssert withAttempts(int attempts) {
    return with("attempts " + attempts, event -> event.attempts() == attempts);
  }

  /** Keeps the events whose last failure has this text in its class or message. */
  public PublishedTopicAssert withError(String part) {
    return with(
        "an error with \"" + part + "\"",
        event -> {
          String error = event.lastError();
          return error != null && error.contains(part);
        });
  }

  /** Verifies that exactly one event fits. */
  public PublishedTopicAssert once() {
    return times(1);
  }

  /** Verifies that exactly so many events fit. */
  public PublishedTopicAssert times(int times) {
    if (actual.size() != times) {
      throw failure(
          "%nExpecting exactly %d of%n  %s%nbut %s",
          times, wanted, PublishedEventsAssert.shown(actual));
    }
    return this;
  }

  /** Returns to the assertions about all events. */
  public PublishedEventsAssert and() {
    return all;
  }

  private PublishedTopicAssert with(String text, Predicate<PublishedEvent> fits) {
    return narrowed(text, actual.stream().filter(fits).toList(), "");
  }

  private PublishedTopicAssert narrowed(String text, List<PublishedEvent> fitting, String reason) {
    String narrower = wanted + (wanted.contains(" with ") ? " and " : " with ") + text;
    if (fitting.isEmpty()) {
      throw failure(
          "%nExpecting an event%n  %s%nbut %s%s",
          narrower, PublishedEventsAssert.shown(actual), reason);
    }
    PublishedTopicAssert result = new PublishedTopicAssert(all, narrower, fitting);
    return descriptionText().isEmpty() ? result : result.as(descriptionText());
  }
}
