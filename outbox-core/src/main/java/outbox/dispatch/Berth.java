package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.Joins;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.OutboxConfig;
import outbox.dispatch.Claimer.Batch;
import outbox.dispatch.Duty.Kind;
import outbox.routing.OutboxStore;
import outbox.spi.DueListener;
import outbox.spi.StoreException;
import outbox.spi.TxContext;

/** A station among many: its duties on the common roster, and its outbox. Thread-safe. */
final class Berth {
  private static final Logger LOG = System.getLogger(MultiOutboxDispatcher.class.getName());
  private static final Duration BACKLOG_PAUSE = Duration.ofMillis(100);

  private final OutboxStore store;
  private final Station station;
  private final DutyRoster roster;
  private final EngineConnections claimConnections;
  private final Claimer claimer;
  private final PollPace pace;
  private final Outbox outbox;
  private final boolean polls;
  private final Duty flush;
  private final Duty renew;
  private final Duty claim;
  private final Duty look;

  /** Written and read by the claim, which runs once at a time. */
  private boolean checked;

  Berth(Crew crew, StationParts parts, OutboxStore store, DutyRoster roster, boolean polls) {
    CompletionQueue completions = CompletionQueue.of(crew.config());
    this.store = store;
    this.station = new Station(crew, parts, completions);
    this.roster = roster;
    this.polls = polls;
    this.claimConnections = station.claimConnectionsOf(store.claimConnections());
    this.claimer =
        new Claimer(
            station,
            claimConnections,
            parts.store(),
            crew.config().getPollerBatchSize(),
            Duration.ofMillis(crew.config().getPollerSkipRecentMs()),
            crew.metrics());
    this.pace = new PollPace(Duration.ofMillis(crew.config().getPollerIntervalMs()));
    this.flush = new Duty(station, Kind.FLUSH, share -> flush());
    this.renew = new Duty(station, Kind.RENEW, share -> renew());
    this.claim = new Duty(station, Kind.CLAIM, this::claim);
    this.look = new Duty(station, Kind.LOOK, share -> lookInto());
    this.outbox = outbox(crew);
    completions.onReady(() -> roster.requestAt(flush, completions.dueAt()));
    station.demand().onWake(this::wake);
    station.dueTimes().onEarlier(this::claimInTime);
    station.outage().onRecovery(() -> roster.request(flush));
    station.outage().onRecovery(() -> roster.recovered(station));
  }

  private Outbox outbox(Crew crew) {
    OutboxConfig config = crew.config();
    OutboxBuilder builder =
        Outbox.builder(store.applicationConnections(), store.events())
            .storeName(store.identifier())
            .propagation(crew.propagation())
            .maxAttempts(config.getRetryMaxAttempts())
            .maxLeaseExpiries(config.getMaxLeaseExpiries())
            .onCommit(this::wake)
            .onUnseenCommit(this::expect)
            .onStoredForLater(station.dueTimes());
    TxContext txContext = store.txContext();
    if (txContext != null) {
      builder.txContext(txContext);
    }
    Joins joins = store.joins();
    if (joins != null) {
      builder.joins(joins);
      store.onDue(this::expect);
    }
    return builder.build();
  }

  void start() {
    roster.register(this);
    wake();
  }

  /** Looks into the database at once; demand that comes in faster is served together. */
  void wake() {
    if (polls) {
      pace.ask();
      roster.requestAt(claim, claimer.nextAllowed());
    }
  }

  DueListener dueListener() {
    return station.dueTimes();
  }

  /** Asks for a claim when the next event is due that this process has stored for later. */
  private void claimInTime() {
    long nanos = station.dueTimes().nanosToNext();
    if (polls && nanos < Long.MAX_VALUE) {
      roster.requestAt(claim, System.nanoTime() + nanos);
    }
  }

  /** Looks at once and soon again: a commit is expected that will not be announced. */
  void expect() {
    pace.expect();
    wake();
  }

  /** Watches listeners and leases; costs nothing while nothing is in flight. */
  void watch() {
    if (station.keeper().watch()) {
      roster.request(renew);
    }
  }

  private @Nullable Duration flush() {
    Duration pause = station.completer().flushOne();
    if (!pause.isZero()) {
      return pause;
    }
    CompletionQueue completions = station.completions();
    return completions.isEmpty()
        ? null
        : Duration.ofNanos(Math.max(0, completions.dueAt() - System.nanoTime()));
  }

  private @Nullable Duration renew() {
    station.keeper().renewHeld();
    return null;
  }

  private @Nullable Duration claim(ColdRoom.Share share) {
    if (station.isClosing()) {
      return null;
    }
    if (!station.completions().hasRoom()) {
      return BACKLOG_PAUSE;
    }
    try {
      if (station.dueTimes().begin()) {
        pace.ask();
      }
      check();
      Batch batch = claimer.claimOne(share.events(), share.bytes(), pace::begin);
      roster.claimed(claim, batch.full());
      roster.postpone(look, pace.next(batch.taken() > 0));
      claimInTime();
      if (batch.full()) {
        pace.ask();
        return Duration.ZERO;
      }
      return null;
    } catch (RuntimeException | Error e) {
      roster.claimed(claim, false);
      reportUnexpected("claim", e);
      return claimer.failed(e);
    }
  }

  /** Only asks for a claim, so that a claim requested meanwhile need not wait for it. */
  private @Nullable Duration lookInto() {
    if (station.isClosing()) {
      return null;
    }
    try {
      if (!claimer.look()) {
        return pace.next(false);
      }
      roster.request(claim);
      return null;
    } catch (RuntimeException | Error e) {
      reportUnexpected("look", e);
      return claimer.lookFailed(e);
    }
  }

  private void reportUnexpected(String what, Throwable error) {
    if (!(error instanceof StoreException || error instanceof IllegalStateException)) {
      LOG.log(Level.ERROR, what + " failed, going on" + station.label(), error);
    }
  }

  /** A database that this store cannot work with is tried again, as it may be mended meanwhile. */
  private void check() {
    if (!checked) {
      station.sees(
          claimConnections.call(
              "claim", connection -> StoreTime.ofChecked(store.events(), connection)));
      checked = true;
    }
  }

  OutboxStore store() {
    return store;
  }

  Station station() {
    return station;
  }

  Outbox outbox() {
    return outbox;
  }

  Duty claim() {
    return claim;
  }

  Duty look() {
    return look;
  }

  /** Stores what is left without collecting first. */
  void flushRest() {
    station.completions().close();
    roster.request(flush);
  }

  boolean isIdle() {
    return station.inFlight().size() == 0 && station.completions().isEmpty();
  }

  /** Claims no more; waits for a claim under way, which ends by the network timeout. */
  void stopClaiming() throws InterruptedException {
    roster.remove(List.of(claim, look));
  }

  /** Takes its other duties off the roster, waiting for those under way. */
  void leave() throws InterruptedException {
    roster.remove(List.of(flush, renew));
  }
}
