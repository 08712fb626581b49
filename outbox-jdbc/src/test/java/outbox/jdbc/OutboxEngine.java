package outbox.jdbc;

import java.util.ArrayList;
import java.util.List;
import outbox.Outbox;
import outbox.OutboxMessage;
import outbox.model.MessageId;

/** An outbox that was built, for experiments with its options. */
final class OutboxEngine implements EngineOptions.Engine {
  private final Outbox outbox;
  private final Runnable close;
  private final List<MessageId> leased = new ArrayList<>();

  OutboxEngine(Outbox outbox, Runnable close) {
    this.outbox = outbox;
    this.close = close;
  }

  @Override
  public void send(String topic) {
    outbox.enqueue(topic, "{}");
  }

  @Override
  public void claim() {
    outbox.claim(EngineOptions.ME, EngineOptions.LEASE, 10).stream()
        .map(OutboxMessage::id)
        .forEach(leased::add);
  }

  @Override
  public void abandon() {
    outbox.abandon(EngineOptions.ME, leased);
  }

  @Override
  public void close() {
    close.run();
  }
}
