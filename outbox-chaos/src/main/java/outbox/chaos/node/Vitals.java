package outbox.chaos.node;

import java.lang.management.ManagementFactory;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;
import outbox.chaos.ledger.LedgerWriter;

/**
 * Tells the driver once a second what the process uses, and writes down when it did not run: be it
 * stopped, or be the machine busy.
 */
public final class Vitals {
  /** The beginning of a line of figures. */
  public static final String PREFIX = "VITALS";

  private static final long PERIOD_NANOS = 50_000_000;
  private static final int PERIODS_PER_REPORT = 20;

  private final LedgerWriter ledger;
  private final IntSupplier connections;

  private Vitals(LedgerWriter ledger, IntSupplier connections) {
    this.ledger = ledger;
    this.connections = connections;
  }

  static void start(LedgerWriter ledger, IntSupplier connections) {
    Thread thread = new Thread(new Vitals(ledger, connections)::run, "vitals");
    thread.setDaemon(true);
    thread.start();
  }

  private void run() {
    for (int i = 0; ; i++) {
      long before = System.nanoTime();
      LockSupport.parkNanos(PERIOD_NANOS);
      try {
        ledger.noteIfSlow(before);
        if (i % PERIODS_PER_REPORT == 0) {
          report();
        }
      } catch (OutOfMemoryError e) {
        // An event exhausts the memory on purpose; the next look counts.
      }
    }
  }

  private void report() {
    Runtime runtime = Runtime.getRuntime();
    long used = runtime.totalMemory() - runtime.freeMemory();
    System.out.println(
        PREFIX
            + " "
            + ManagementFactory.getThreadMXBean().getThreadCount()
            + " "
            + (used >> 20)
            + " "
            + connections.getAsInt());
  }
}
