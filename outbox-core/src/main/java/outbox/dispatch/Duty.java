package outbox.dispatch;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Something that has to be done at a station and needs a connection. Runs once at a time; the
 * roster that it stands on guards its state.
 */
final class Duty {
  private final Station station;
  private final Kind kind;
  private final Work work;

  boolean queued;
  boolean running;
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
  enum Kind {
    FLUSH,
    RENEW,
    CLAIM,
    LOOK
  }

  /** What is done. */
  @FunctionalInterface
  interface Work {
    /** Returns how long to wait before the next time; null for until it is asked for. */
    @Nullable Duration perform(ColdRoom.Share share);
  }

  Duty(Station station, Kind kind, Work work) {
    this.station = station;
    this.kind = kind;
    this.work = work;
  }

  @Nullable Duration perform() {
    return work.perform(share);
  }

  Station station() {
    return station;
  }

  boolean isClaim() {
    return kind == Kind.CLAIM;
  }

  boolean isLook() {
    return kind == Kind.LOOK;
  }

  /** Whether it would be a try at a database that has failed to answer. */
  boolean isProbe() {
    return station.outage().isDown();
  }

  @Override
  public String toString() {
    return kind + station.label();
  }
}
