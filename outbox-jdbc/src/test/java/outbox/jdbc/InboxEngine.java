package outbox.jdbc;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import outbox.inbox.Inbox;
import outbox.inbox.InboxMessage;
import outbox.inbox.InboxWorkStore;

/** An inbox that was built, for experiments with its options. */
final class InboxEngine implements EngineOptions.Engine {
  private final Inbox inbox;
  private final InboxWorkStore workStore;
  private final Runnable close;
  private final List<InboxMessage> leased = new ArrayList<>();

  InboxEngine(Inbox inbox, InboxWorkStore workStore, Runnable close) {
    this.inbox = inbox;
    this.workStore = workStore;
    this.close = close;
  }

  @Override
  public void send(String topic) {
    send(topic, "{}");
  }

  void send(String topic, String payload) {
    inbox.enqueue(topic, "shop", UUID.randomUUID().toString(), payload);
  }

  @Override
  public void claim() {
    leased.addAll(workStore.claim(EngineOptions.ME, EngineOptions.LEASE, 10));
  }

  @Override
  public void abandon() {
    workStore.abandon(EngineOptions.ME, leased);
  }

  @Override
  public void close() {
    close.run();
  }
}
