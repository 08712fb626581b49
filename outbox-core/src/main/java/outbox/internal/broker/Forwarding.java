package outbox.internal.broker;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.DeferException;
import outbox.EventBatch;
import outbox.EventEnvelope;
import outbox.PermanentFailureException;

/**
 * Sends batches of events and reports the outcome of each. Thread-safe.
 *
 * <p>Events without an ordering key leave together. Events of one ordering key leave one after the
 * other, each after the confirmation of its predecessor: a broker's client may drop an event that
 * waited too long and still send the one behind it. If one is not confirmed, those behind it are
 * deferred, and the engine decides when the key continues.
 *
 * <p>While the broker is unavailable, events are deferred: no attempt is counted, and none of them
 * ends dead because of an outage.
 */
public final class Forwarding {
  private final Transport transport;
  private final Duration pause;
  private final OutageLog log;

  /**
   * @param target what log lines call the broker
   * @param pause how long an event waits that the broker could not take
   */
  public Forwarding(Transport transport, String target, Duration pause) {
    this.transport = requireNonNull(transport, "transport");
    this.pause = requireNonNull(pause, "pause");
    this.log = new OutageLog(target);
  }

  /** Sends one event; returns when the broker has it, else throws what the engine understands. */
  public void forward(EventEnvelope event) throws Exception {
    Forwarded result = transport.send(List.of(event)).get(0);
    log.note(result);
    if (result instanceof Forwarded.Unavailable) {
      throw new DeferException(pause);
    }
    Exception failure = failure(result);
    if (failure != null) {
      throw failure;
    }
  }

  /** Sends all events of a batch, in their order where they have a key in common. */
  public void forward(EventBatch outcomes) {
    List<EventEnvelope> events = outcomes.events();
    Map<String, Deque<EventEnvelope>> runs = new HashMap<>();
    List<EventEnvelope> wave = firstWave(events, runs);
    while (!wave.isEmpty()) {
      List<Forwarded> results = transport.send(wave);
      List<EventEnvelope> next = new ArrayList<>();
      for (int i = 0; i < wave.size(); i++) {
        EventEnvelope event = wave.get(i);
        Deque<EventEnvelope> behind = behind(event, runs);
        if (settle(event, results.get(i), outcomes)) {
          if (!behind.isEmpty()) {
            next.add(behind.remove());
          }
        } else {
          behind.forEach(waiting -> outcomes.defer(waiting, pause));
          behind.clear();
        }
      }
      wave = next;
    }
  }

  private static List<EventEnvelope> firstWave(
      List<EventEnvelope> events, Map<String, Deque<EventEnvelope>> runs) {
    List<EventEnvelope> wave = new ArrayList<>(events.size());
    for (EventEnvelope event : events) {
      String key = event.orderingKey();
      Deque<EventEnvelope> run = key == null ? null : runs.get(key);
      if (run != null) {
        run.add(event);
        continue;
      }
      wave.add(event);
      if (key != null) {
        runs.put(key, new ArrayDeque<>());
      }
    }
    return wave;
  }

  private static Deque<EventEnvelope> behind(
      EventEnvelope event, Map<String, Deque<EventEnvelope>> runs) {
    String key = event.orderingKey();
    return key == null ? new ArrayDeque<>(0) : requireNonNull(runs.get(key));
  }

  private boolean settle(EventEnvelope event, Forwarded result, EventBatch outcomes) {
    log.note(result);
    if (result instanceof Forwarded.Unavailable) {
      outcomes.defer(event, pause);
      return false;
    }
    Exception failure = failure(result);
    if (failure != null) {
      outcomes.failed(event, failure);
      return false;
    }
    outcomes.done(event);
    return true;
  }

  private static @Nullable Exception failure(Forwarded result) {
    if (result instanceof Forwarded.Refused refused) {
      return new PermanentFailureException(refused.reason(), refused.cause());
    }
    if (result instanceof Forwarded.Failed failed) {
      return failed.cause() instanceof Exception cause
          ? cause
          : new IllegalStateException(failed.cause());
    }
    return null;
  }
}
