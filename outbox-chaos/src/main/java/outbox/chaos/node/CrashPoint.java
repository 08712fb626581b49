package outbox.chaos.node;

import java.util.concurrent.atomic.AtomicBoolean;
import outbox.chaos.ledger.Exit;

/** A moment at which the process halts, once it is armed. Thread-safe. */
final class CrashPoint {
  private final AtomicBoolean armed = new AtomicBoolean();

  void arm() {
    armed.set(true);
  }

  boolean isArmed() {
    return armed.get();
  }

  void pass() {
    if (armed.get()) {
      Runtime.getRuntime().halt(Exit.HALTED);
    }
  }
}
