package outbox.contracts.broker;

import java.util.List;
import outbox.EventEnvelope;
import outbox.model.DeadLetter;

/** A running outbox whose events all go to a forwarder. */
public interface ForwardingOutbox extends AutoCloseable {

  /** Publishes the events in one transaction. */
  void publish(List<EventEnvelope> events);

  /** How many events are neither done nor dead. */
  int pending();

  List<DeadLetter> dead();

  @Override
  void close();
}
