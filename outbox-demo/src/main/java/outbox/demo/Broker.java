package outbox.demo;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import outbox.EventEnvelope;
import outbox.EventListener;

/** Stands for a message broker. Every delivery that it gets is entered in the ledger. */
final class Broker implements EventListener {
  private static final int FAILS_ONE_IN = 8;

  private final Ledger ledger;
  private volatile boolean unreliable;
  private volatile long delayMillis;

  Broker(Ledger ledger) {
    this.ledger = ledger;
  }

  /** From now on, one event in a few fails when it is delivered for the first time. */
  void unreliable(boolean unreliable) {
    this.unreliable = unreliable;
  }

  /** From now on, each delivery takes this long. */
  void delayMillis(long delayMillis) {
    this.delayMillis = delayMillis;
  }

  @Override
  public void onEvent(EventEnvelope event) throws Exception {
    int call = ledger.called(event.eventId());
    if (unreliable && call == 1 && isUnlucky(event)) {
      ledger.failed(event.eventId());
      throw new IOException("the broker did not answer");
    }
    if (delayMillis > 0) {
      TimeUnit.MILLISECONDS.sleep(delayMillis);
    }
    ledger.delivered(event.eventId());
  }

  private static boolean isUnlucky(EventEnvelope event) {
    return Math.floorMod(event.eventId().hashCode(), FAILS_ONE_IN) == 0;
  }
}
