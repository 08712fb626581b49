package outbox.internal.engine.handling;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;
import outbox.internal.engine.delivery.Delivery;
import outbox.internal.engine.handling.DeliveryRunner.Result;

/** A delivery as part of a batch, and what came of it. Used by one worker. */
final class Member {
  private final Delivery delivery;
  private final @Nullable Attempt attempt;
  private final @Nullable Invocation invocation;
  private @Nullable Result result;

  Member(Delivery delivery, @Nullable Attempt attempt, @Nullable Invocation invocation) {
    this.delivery = delivery;
    this.attempt = attempt;
    this.invocation = invocation;
  }

  static Member ended(Delivery delivery, Result result) {
    Member member = new Member(delivery, null, null);
    member.end(result);
    return member;
  }

  Delivery delivery() {
    return delivery;
  }

  Attempt attempt() {
    return requireNonNull(attempt, "ended before its listeners could run");
  }

  Invocation invocation() {
    return requireNonNull(invocation, "ended before its listeners could run");
  }

  void end(Result result) {
    this.result = result;
  }

  boolean hasEnded() {
    return result != null;
  }

  Result result() {
    return requireNonNull(result, "not ended yet");
  }
}
