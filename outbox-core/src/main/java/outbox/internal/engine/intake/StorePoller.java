package outbox.internal.engine.intake;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.internal.engine.common.LoggerNames;
import outbox.internal.engine.common.Waits;
import outbox.internal.engine.delivery.StoreTime;
import outbox.internal.engine.health.EngineConnections;
import outbox.internal.engine.intake.Claimer.Batch;
import outbox.internal.engine.schedule.ColdRoom;
import outbox.internal.engine.schedule.PollPace;
import outbox.internal.engine.schedule.StoreTask;
import outbox.internal.engine.schedule.StoreTask.Kind;
import outbox.internal.engine.schedule.TaskScheduler;
import outbox.internal.engine.schedule.Wakeups;
import outbox.internal.util.Deadline;
import outbox.routing.OutboxStore;
import outbox.spi.StoreException;

/**
 * When to claim the due events of a store: at once where something is known to be there, and
 * otherwise after a look into it, which comes ever more rarely while it finds nothing. Thread-safe.
 */
public final class StorePoller implements Wakeups.Sleeper {
  private static final Logger LOG = System.getLogger(LoggerNames.POLLER);
  private static final Duration BACKLOG_PAUSE = Duration.ofMillis(100);

  private final ClaimContext context;
  private final Wakeups wakeups;
  private final TaskScheduler scheduler;
  private final EngineConnections connections;
  private final Claimer claimer;
  private final OutboxStore store;
  private final int batchSize;
  private final PollPace pace;
  private final StoreTask claim;
  private final StoreTask look;
  private boolean started;
  private volatile boolean running;
  private volatile boolean stopped;

  /** Written and read by the claim, which runs once at a time. */
  private boolean checked;

  public StorePoller(
      StoreTask.Owner owner,
      ClaimContext context,
      Wakeups wakeups,
      TaskScheduler scheduler,
      EngineConnections connections,
      Claimer claimer,
      OutboxStore store,
      int batchSize,
      Duration interval) {
    this.context = context;
    this.wakeups = wakeups;
    this.scheduler = scheduler;
    this.connections = connections;
    this.claimer = claimer;
    this.store = store;
    this.batchSize = batchSize;
    this.pace = new PollPace(interval);
    this.claim = new StoreTask(owner, Kind.CLAIM, this::claim);
    this.look = new StoreTask(owner, Kind.LOOK, share -> look());
    this.checked = !owner.isAmongMany();
  }

  /**
   * Begins to look. Starting twice is harmless.
   *
   * @throws IllegalStateException if it was stopped
   */
  public synchronized void start() {
    if (stopped) {
      throw new IllegalStateException("the poller is closed; make a new one");
    }
    if (!started) {
      started = true;
      listen();
      now();
    }
  }

  /** Claims when it is told to. */
  public void listen() {
    scheduler.register(claim, store, batchSize);
    running = true;
    wakeups.add(this);
  }

  /** Looks at once; demand that comes in faster is served together. */
  @Override
  public void now() {
    if (running) {
      pace.ask();
      scheduler.requestAt(claim, claimer.nextAllowed());
    }
  }

  /** Looks at once and soon again: a commit is expected that will not be announced. */
  @Override
  public void soon() {
    pace.expect();
    now();
  }

  /**
   * Claims what is due and fits on the calling thread, whether started or not.
   *
   * @return how many events were claimed
   */
  public int poll() {
    return stopped ? 0 : claimer.claimAllThatFits();
  }

  /** Asks for a claim when the next event is due that this process has stored for later. */
  @Override
  public void inTime() {
    long nanos = context.dueTimes().nanosToNext();
    if (running && nanos < Long.MAX_VALUE) {
      scheduler.requestAt(claim, System.nanoTime() + nanos);
    }
  }

  private @Nullable Duration claim(ColdRoom.Share share) {
    if (context.isResting()) {
      return null;
    }
    if (!context.admission().hasRoomForOutcomes()) {
      return BACKLOG_PAUSE;
    }
    try {
      if (context.dueTimes().begin()) {
        pace.ask();
      }
      check();
      Batch batch = claimer.claimOne(share.events(), share.bytes(), pace::begin);
      scheduler.claimed(claim, batch.full());
      scheduler.postpone(look, pace.next(batch.taken() > 0));
      inTime();
      if (batch.full()) {
        pace.ask();
        return Duration.ZERO;
      }
      return null;
    } catch (RuntimeException | Error e) {
      scheduler.claimed(claim, false);
      report("claim", e);
      return claimer.failed(e);
    }
  }

  /** Only asks for a claim, so that a claim requested meanwhile need not wait for it. */
  private @Nullable Duration look() {
    if (context.isResting()) {
      return null;
    }
    try {
      if (!claimer.look()) {
        return pace.next(false);
      }
      scheduler.request(claim);
      return null;
    } catch (RuntimeException | Error e) {
      report("look", e);
      return claimer.lookFailed(e);
    }
  }

  public StoreTask claimTask() {
    return claim;
  }

  public StoreTask lookTask() {
    return look;
  }

  /** What a database answers is told of by its outage. */
  private void report(String what, Throwable error) {
    if (!(error instanceof StoreException || error instanceof IllegalStateException)) {
      LOG.log(Level.ERROR, what + " failed, continuing" + context.label(), error);
    }
  }

  /**
   * A database that this store cannot work with is tried again, as an operator may fix it
   * meanwhile.
   */
  private void check() {
    if (!checked) {
      context
          .dueTimes()
          .sees(
              connections.call(
                  Claimer.OPERATION,
                  connection -> StoreTime.ofChecked(context.store(), connection)));
      checked = true;
    }
  }

  public void awaitEnd(Deadline deadline) throws InterruptedException {
    scheduler.awaitEnd(List.of(claim, look), deadline);
  }

  /** Begins no further claim, and ends the wait of one for a connection. Does not block. */
  public synchronized void stop() {
    stopped = true;
    running = false;
    connections.stop();
    scheduler.remove(List.of(claim, look));
  }

  /** Stops, and waits for a claim under way until the deadline. */
  @SuppressWarnings("exports") // public for the poller only
  public void close(Deadline deadline) {
    stop();
    if (!Waits.completed(() -> awaitEnd(deadline))) {
      Thread.currentThread().interrupt();
    }
  }
}
