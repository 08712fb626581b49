package outbox.internal.broker;

import java.util.concurrent.atomic.LongAdder;
import outbox.inbox.ReceiveResult;

/** What a consumer has done since its start. Thread-safe. */
public final class IntakeCounts {
  private final LongAdder received = new LongAdder();
  private final LongAdder duplicates = new LongAdder();
  private final LongAdder poison = new LongAdder();

  void count(ReceiveResult result) {
    (result.isNew() ? received : duplicates).increment();
  }

  void countPoison() {
    poison.increment();
  }

  public long received() {
    return received.sum();
  }

  public long duplicates() {
    return duplicates.sum();
  }

  public long poisoned() {
    return poison.sum();
  }
}
