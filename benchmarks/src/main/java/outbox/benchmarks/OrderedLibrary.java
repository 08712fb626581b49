package outbox.benchmarks;

import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import javax.sql.DataSource;
import outbox.EventEnvelope;

/** This library, with an ordering key on every event; or on none, for comparison. */
final class OrderedLibrary implements Contestant {
  private final Library library;
  private final int keys;

  /**
   * Starts it.
   *
   * @param keys how many there are, each as likely as any other; 0 for events without one
   */
  OrderedLibrary(
      DataSource dataSource, Consumer<EventEnvelope> listener, Completion completion, int keys) {
    this.library = new Library(dataSource, listener, completion);
    this.keys = keys;
  }

  @Override
  public void commit(EventEnvelope event, boolean withBusinessRow) throws Exception {
    library.commit(keyed(event), withBusinessRow);
  }

  private EventEnvelope keyed(EventEnvelope event) {
    return EventEnvelope.builder(event.eventType())
        .eventId(event.eventId())
        .orderingKey(keys == 0 ? null : "customer-" + ThreadLocalRandom.current().nextInt(keys))
        .payloadJson(event.payloadJson())
        .build();
  }

  @Override
  public long completed() {
    return library.completed();
  }

  @Override
  public void close() {
    library.close();
  }
}
