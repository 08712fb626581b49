package outbox.cli;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.admin.data.OperatedDatabase;
import outbox.admin.metrics.Health;
import outbox.admin.metrics.HealthThresholds;
import outbox.admin.metrics.MetricsSnapshot;
import outbox.internal.util.Pause;
import outbox.spi.StoreException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Watches a queue: a picture that is drawn again and again, or a line for each look. */
@Command(
    name = "top",
    description = "Watches health, rates and topics until q or Ctrl-C; lines if it is no terminal.")
final class TopCommand extends QueueCommand {
  private static final Duration LEAST_INTERVAL = Duration.ofMillis(200);
  private static final Duration LEAST_WINDOW = Duration.ofSeconds(10);

  @Option(
      names = "--interval",
      defaultValue = "2s",
      description = "between two looks (default: ${DEFAULT-VALUE})")
  Duration interval = Duration.ZERO;

  @Option(names = "--count", description = "end after so many looks")
  int count;

  @Option(
      names = "--sort",
      defaultValue = "TROUBLE",
      description = "topics by ${COMPLETION-CANDIDATES} (default: trouble)")
  TopOrder order = TopOrder.TROUBLE;

  private final Trend trend = new Trend();

  @Override
  public Integer call() {
    if (interval.compareTo(LEAST_INTERVAL) < 0) {
      throw new WrongCallException("--interval (" + interval + ") must be at least 200ms");
    }
    if (count < 0) {
      throw new WrongCallException("--count (" + count + ") must not be negative");
    }
    OperatedDatabase database =
        queue.open(interval.compareTo(LEAST_WINDOW) > 0 ? interval : LEAST_WINDOW);
    queue.requireTable(database);
    return terminal().showsOutput() && !json ? draw(database) : lines(database);
  }

  private int draw(OperatedDatabase database) {
    boolean seen = false;
    try (Terminal.Keys keys = terminal().takeOver()) {
      for (int looks = 1; ; looks++) {
        Look look = look(database);
        seen = look.snapshot != null;
        show(look, database);
        if (looks == count || quits(keys, look, database)) {
          return seen ? 0 : Main.FAILED;
        }
      }
    }
  }

  /** Waits for the next look, and does what keys say meanwhile. */
  private boolean quits(Terminal.Keys keys, Look look, OperatedDatabase database) {
    long end = System.nanoTime() + interval.toNanos();
    for (long left = interval.toNanos(); left > 0; left = end - System.nanoTime()) {
      switch (keys.next(Duration.ofNanos(left))) {
        case 'q', 'Q' -> {
          return true;
        }
        case 's', 'S' -> {
          order = order.next();
          show(look, database);
        }
        default -> {}
      }
    }
    return false;
  }

  private void show(Look look, OperatedDatabase database) {
    TopFrame frame =
        new TopFrame(
            screen(), terminal().rows(), queue.tableName() + " of " + database.name(), interval);
    List<String> lines =
        look.snapshot == null
            ? frame.of(look.failure)
            : frame.of(look.snapshot, look.health(), trend, order);
    out().print("\033[H" + String.join("\033[K\r\n", lines) + "\033[K\033[J");
    out().flush();
  }

  /** Until the reader closes its end. */
  private int lines(OperatedDatabase database) {
    boolean seen = false;
    for (int looks = 1; ; looks++) {
      Look look = look(database);
      seen = look.snapshot != null;
      if (look.snapshot == null) {
        err().println("error: " + look.failure);
      } else {
        out().println(json ? state(look.snapshot, look.health()) : line(look));
      }
      if (looks == count || out().checkError()) {
        return seen ? 0 : Main.FAILED;
      }
      Pause.of(interval);
    }
  }

  private String line(Look look) {
    MetricsSnapshot now = look.snapshot;
    if (now == null) {
      return look.failure;
    }
    return now.at()
        + " "
        + look.health().status()
        + " backlog="
        + now.backlog()
        + " scheduled="
        + now.scheduled()
        + " failing="
        + now.failedPending()
        + " leased="
        + now.leased()
        + " dead="
        + now.dead()
        + " done="
        + Shown.rate(now.activity().throughputPerSecond())
        + " failed="
        + Shown.rate(now.activity().failuresPerSecond())
        + " oldest="
        + now.oldestAge().toMillis() / 1e3
        + "s";
  }

  /**
   * A database that is away for a while is shown as unavailable: the operator who watches wants to
   * see it.
   */
  private Look look(OperatedDatabase database) {
    try {
      MetricsSnapshot snapshot = queue.snapshot(database);
      trend.add(snapshot);
      return new Look(snapshot, "");
    } catch (StoreException e) {
      return new Look(null, Failures.describe(e));
    }
  }

  private record Look(@Nullable MetricsSnapshot snapshot, String failure) {
    Health health() {
      return snapshot == null
          ? Health.unreachable(failure)
          : Health.of(snapshot, HealthThresholds.DEFAULT);
    }
  }
}
