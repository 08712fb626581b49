package outbox.dispatch;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import outbox.dispatch.PreparedEvent.Wake;
import outbox.spi.NodeSignal;

/**
 * Word of something that may be there to be claimed: from this process, from other nodes, or
 * because the database answers again. Thread-safe.
 */
final class Demand {
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  private final DatabaseHealth health;
  private final @Nullable NodeSignal signal;

  Demand(DatabaseHealth health, @Nullable NodeSignal signal) {
    this.health = health;
    this.signal = signal;
  }

  void wake(Wake whom) {
    if (whom == Wake.ALL_NODES) {
      wake();
    }
    if (whom != Wake.NONE && signal != null) {
      signal.send();
    }
  }

  /** Tells this process only. */
  void wake() {
    listeners.forEach(Runnable::run);
  }

  void onWake(Runnable listener) {
    listeners.add(listener);
    health.onRecovery(listener);
    if (signal != null) {
      signal.listen(listener);
    }
  }
}
