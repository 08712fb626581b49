package outbox.jdbc;

import java.time.Duration;
import java.util.List;
import outbox.EventBatch;
import outbox.EventEnvelope;

/** A batch without those of its events whose payload cannot be read. */
record ReadableBatch(EventBatch whole, List<EventEnvelope> events) implements EventBatch {

  @Override
  public void done(EventEnvelope event) {
    whole.done(event);
  }

  @Override
  public void failed(EventEnvelope event, Throwable cause) {
    whole.failed(event, cause);
  }

  @Override
  public void defer(EventEnvelope event, Duration delay) {
    whole.defer(event, delay);
  }

  @Override
  public boolean isCancelled() {
    return whole.isCancelled();
  }

  @Override
  public void onCancel(Runnable action) {
    whole.onCancel(action);
  }

  @Override
  public Duration leaseRemaining() {
    return whole.leaseRemaining();
  }

  @Override
  public boolean renewLease() {
    return whole.renewLease();
  }
}
