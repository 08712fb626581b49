package outbox.spi;

import java.time.Duration;
import java.time.Instant;

/** Learns when messages are due that were stored for later. Never blocks, never throws. */
public interface DueListener {
  DueListener NONE =
      new DueListener() {
        @Override
        public void dueAt(Instant due) {}

        @Override
        public void dueAfter(Duration delay) {}
      };

  /** A message is due at a time of the store's clock. */
  void dueAt(Instant due);

  /** A message is due after a delay, which the store counts from now. */
  void dueAfter(Duration delay);
}
