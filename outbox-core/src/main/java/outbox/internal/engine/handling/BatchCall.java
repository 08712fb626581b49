package outbox.internal.engine.handling;

import java.sql.Connection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.HandlerContext;
import outbox.internal.batch.BatchedListener;
import outbox.internal.engine.delivery.Delivery;
import outbox.internal.engine.delivery.Outcome;
import outbox.internal.engine.handling.BatchContext.Said;
import outbox.registry.NamedListener;

/**
 * One call of a batch listener, with those deliveries for which it is to run, and what it said of
 * each. Used by one worker.
 */
final class BatchCall {
  private final BatchedListener listener;
  private final List<Part> parts;
  private final BatchContext batch;
  private @Nullable Throwable thrown;

  /** A delivery, and the name under which it knows the listener. */
  record Part(Member member, NamedListener named) {
    Delivery delivery() {
      return member.delivery();
    }

    void ended(@Nullable Outcome outcome) {
      member.attempt().ended(named, outcome);
    }
  }

  BatchCall(BatchedListener listener, List<Part> parts, HandlerContext context) {
    this.listener = listener;
    this.parts = parts;
    this.batch =
        new BatchContext(
            parts.stream().map(part -> part.member.invocation().message()).toList(), context);
  }

  private BatchCall(
      BatchedListener listener, List<Part> parts, BatchContext batch, @Nullable Throwable thrown) {
    this.listener = listener;
    this.parts = parts;
    this.batch = batch;
    this.thrown = thrown;
  }

  List<Part> parts() {
    return parts;
  }

  /** Calls the listener; what it throws is kept. */
  void run(@Nullable Connection connection) {
    try {
      listener.body().handle(batch, connection);
    } catch (Throwable e) {
      thrown = e;
    }
  }

  /** What the listener threw; null if it returned. */
  @Nullable Throwable thrown() {
    return thrown;
  }

  /** What the listener said of the delivery; null if it said nothing. */
  @Nullable Said said(Part part) {
    return batch.of(part.delivery().id());
  }

  /** Why the delivery failed; null if it is done or deferred. */
  @Nullable Throwable failure(Part part) {
    Said said = said(part);
    return said == null ? thrown : said.failure();
  }

  /** Done or deferred, for a delivery that did not fail. */
  Outcome success(Part part) {
    Said said = said(part);
    return said == null || said.delay() == null ? Outcome.DONE : new Outcome.Defer(said.delay());
  }

  /** Returns this call with the failed deliveries only. */
  BatchCall failures() {
    List<Part> failed = parts.stream().filter(part -> failure(part) != null).toList();
    return new BatchCall(listener, failed, batch, thrown);
  }
}
