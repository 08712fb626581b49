package outbox.testing;

import static java.util.Objects.requireNonNull;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import outbox.PayloadCodec;

/**
 * The events that an outbox has stored since the last {@link #reset}, in the order in which they
 * were published. A live view: each call reads the store, so that it shows neither what was rolled
 * back nor an old state. A connection that is inside the transaction also shows what that has not
 * committed yet. Thread-safe.
 *
 * <p>Check it by {@link OutboxAssertions#assertThat(PublishedEvents)}, or read it:
 *
 * <pre>{@code
 * List<OrderPlaced> orders = events.payloads("OrderPlaced", OrderPlaced.class);
 * }</pre>
 */
public final class PublishedEvents {
  private final Function<PayloadCodec, List<PublishedEvent>> source;
  private final PayloadCodec codec;
  private final Set<String> forgotten;

  private PublishedEvents(
      Function<PayloadCodec, List<PublishedEvent>> source,
      PayloadCodec codec,
      Set<String> forgotten) {
    this.source = source;
    this.codec = codec;
    this.forgotten = forgotten;
  }

  static PublishedEvents in(
      Function<PayloadCodec, List<PublishedEvent>> source, PayloadCodec codec) {
    return new PublishedEvents(source, codec, new HashSet<>());
  }

  /**
   * Reads the table {@code outbox_event}.
   *
   * @param dataSource the one of the outbox; in Spring a {@code TransactionAwareDataSourceProxy}
   *     shows what the transaction of the test has stored
   */
  public static PublishedEvents of(DataSource dataSource) {
    return of(dataSource, "outbox_event");
  }

  /**
   * Reads a table of another name. An outbox that deletes completed events shows only the others.
   *
   * @param tableName letters, digits, underscores, and a dot after the name of a schema
   */
  public static PublishedEvents of(DataSource dataSource, String tableName) {
    TableEvents table = new TableEvents(requireNonNull(dataSource, "dataSource"), tableName);
    return in(table::read, PayloadCodec.onClassPath());
  }

  /** Returns a view of the same events that reads payloads by this codec. */
  public PublishedEvents withCodec(PayloadCodec codec) {
    return new PublishedEvents(source, requireNonNull(codec, "codec"), forgotten);
  }

  /** Returns all events. */
  public List<PublishedEvent> all() {
    List<PublishedEvent> events = source.apply(codec);
    synchronized (forgotten) {
      return events.stream().filter(event -> !forgotten.contains(event.eventId())).toList();
    }
  }

  /** Returns the events of one topic. */
  public List<PublishedEvent> ofTopic(String topic) {
    requireNonNull(topic, "topic");
    return all().stream().filter(event -> event.topic().equals(topic)).toList();
  }

  /** Returns the payloads of the events of one topic. */
  public <T> List<T> payloads(String topic, Class<T> type) {
    return ofTopic(topic).stream().map(event -> event.payload(type)).toList();
  }

  /** Forgets the events that there are now. */
  public void reset() {
    Set<String> known =
        source.apply(codec).stream().map(PublishedEvent::eventId).collect(Collectors.toSet());
    synchronized (forgotten) {
      forgotten.addAll(known);
    }
  }

  /** Shows one event in each line, for the messages of assertions. */
  @Override
  public String toString() {
    return all().stream()
        .map(PublishedEvent::toString)
        .collect(Collectors.joining("\n  ", "published events:\n  ", ""));
  }
}
