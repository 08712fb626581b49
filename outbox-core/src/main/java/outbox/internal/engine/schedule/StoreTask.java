package outbox.internal.engine.schedule;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import outbox.internal.engine.delivery.Origin;
import outbox.internal.engine.health.DatabaseHealth;

/**
 * Something that has to be done at a store and needs a connection. Runs once at a time; the
 * scheduler that it stands on guards its state.
 */
public final class StoreTask {
  private final Owner owner;
  private final Kind kind;
  private final Work work;

  boolean queued;
  boolean running;

  /** The thread that performs it; meaningless unless {@link #running}. */
  @Nullable Thread performer;

  boolean probing;
  boolean removed;

  /** When a look is late. */
  long lateAt = System.nanoTime();

  /** When it is due by itself; meaningless unless {@link #alarmed}. */
  long alarmAt;

  boolean alarmed;

  /** When it was asked for again while it ran; meaningless unless {@link #again}. */
  long againAt;

  boolean again;

  /** What of the cold lane is kept free for the claim that runs. */
  ColdRoom.Share share = ColdRoom.Share.NONE;

  /** What it is for. All but claims and looks are upkeep and go first. */
  public enum Kind {
    FLUSH,
    RENEW,
    CONFIRM,
    ADVANCE,
    CLAIM,
    LOOK
  }

  /** The store that it is done at; the lanes divide their room among the same stores. */
  public interface Owner extends Origin {
    boolean isAmongMany();

    DatabaseHealth health();
  }

  /** What is done. */
  @FunctionalInterface
  public interface Work {
    /** Returns how long to wait before the next time; null for until it is asked for. */
    @Nullable Duration perform(ColdRoom.Share share);
  }

  public StoreTask(Owner owner, Kind kind, Work work) {
    this.owner = owner;
    this.kind = kind;
    this.work = work;
  }

  public @Nullable Duration perform() {
    return work.perform(share);
  }

  Owner owner() {
    return owner;
  }

  /** Whether there is a thread to wait for, which is not the calling one. */
  boolean isRunningElsewhere() {
    return running && performer != Thread.currentThread();
  }

  boolean isClaim() {
    return kind == Kind.CLAIM;
  }

  boolean isLook() {
    return kind == Kind.LOOK;
  }

  /** Whether it would be a try at a database that has failed to answer. */
  boolean isProbe() {
    return owner.isAmongMany() && owner.health().isDown();
  }

  @Override
  public String toString() {
    return kind + owner.label();
  }
}
