package outbox.internal.broker;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicBoolean;

/** Says once that a broker takes nothing, and once that it takes events again. Thread-safe. */
final class OutageLog {
  private static final Logger LOG = System.getLogger("outbox.broker.Forwarder");

  private final String target;
  private final AtomicBoolean down = new AtomicBoolean();

  OutageLog(String target) {
    this.target = target;
  }

  void note(Forwarded result) {
    if (result instanceof Forwarded.Unavailable unavailable) {
      if (down.compareAndSet(false, true)) {
        LOG.log(
            Level.WARNING,
            "broker unavailable target="
                + target
                + "; its events stay stored and are sent when it takes them, no attempt is counted",
            unavailable.cause());
      }
    } else if (result instanceof Forwarded.Sent && down.compareAndSet(true, false)) {
      LOG.log(Level.INFO, "broker available again target=" + target);
    }
  }
}
