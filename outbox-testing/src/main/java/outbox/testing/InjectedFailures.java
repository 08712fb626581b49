package outbox.testing;

import static java.util.Objects.requireNonNull;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.spi.Propagation;

/** Fails calls of listeners in their place, as often as a test has asked for. Thread-safe. */
final class InjectedFailures implements Propagation {
  private final Map<String, Deque<Exception>> byTopic = new HashMap<>();

  synchronized void add(String topic, int times, Exception failure) {
    requireNonNull(failure, "failure");
    if (times < 1) {
      throw new IllegalArgumentException("times (" + times + ") must be 1 or more");
    }
    Deque<Exception> failures =
        byTopic.computeIfAbsent(requireNonNull(topic, "topic"), any -> new ArrayDeque<>());
    for (int i = 0; i < times; i++) {
      failures.add(failure);
    }
  }

  @Override
  public <T> T around(EventEnvelope event, Callable<T> listener) throws Exception {
    Exception failure = next(event.eventType());
    if (failure != null) {
      throw failure;
    }
    return listener.call();
  }

  private synchronized @Nullable Exception next(String topic) {
    Deque<Exception> failures = byTopic.get(topic);
    return failures == null ? null : failures.poll();
  }
}
