package outbox.internal.engine.schedule;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import outbox.spi.DueListener;
import outbox.spi.NodeSignal;

/**
 * The one place where the pollers of a store are woken: now, soon, or at the time when something
 * that this process has stored for later is due. Thread-safe; never blocks, never throws.
 */
public final class Wakeups implements DueListener {
  private final List<Sleeper> sleepers = new CopyOnWriteArrayList<>();
  private final DueTimes dueTimes;
  private final @Nullable NodeSignal signal;

  /** A poller that waits for something to claim. */
  public interface Sleeper {
    /** Something due may be there. */
    void now();

    /** A commit is expected that will not be announced: looks now, and soon again. */
    void soon();

    /** The next of the {@link DueTimes} is earlier than it was. */
    void inTime();
  }

  public Wakeups(DueTimes dueTimes, @Nullable NodeSignal signal) {
    this.dueTimes = dueTimes;
    this.signal = signal;
  }

  /** Wakes the poller from now on, also when another node signals. */
  public void add(Sleeper sleeper) {
    sleepers.add(sleeper);
    if (signal != null) {
      signal.listen(sleeper::now);
    }
  }

  /** Something due may be there: tells this process, other nodes, both or none. */
  public void now(Wake whom) {
    if (whom == Wake.ALL_NODES) {
      now();
    }
    if (whom != Wake.NONE && signal != null) {
      signal.send();
    }
  }

  /** Something due may be there: tells this process only. */
  public void now() {
    sleepers.forEach(Sleeper::now);
  }

  /** A commit is expected that will not be announced. */
  public void soon() {
    sleepers.forEach(Sleeper::soon);
  }

  @Override
  public void dueAt(Instant due) {
    if (dueTimes.add(due)) {
      sleepers.forEach(Sleeper::inTime);
    }
  }

  @Override
  public void dueAfter(Duration delay) {
    if (dueTimes.addAfter(delay)) {
      sleepers.forEach(Sleeper::inTime);
    }
  }
}
