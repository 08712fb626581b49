package outbox.contracts.broker;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.spi.Forwarder;

/** A real broker and one destination on it that is empty at the start of a test. */
public interface BrokerUnderTest extends AutoCloseable {

  /**
   * A new forwarder to the destination, with the aggregate id as key.
   *
   * @param lease the lease of the outbox that will use it
   */
  Forwarder forwarder(Duration lease);

  /** Everything that is at the destination, oldest first within a key. */
  List<Arrival> arrivals();

  /** The process of the broker ends without warning; {@link #restart} starts it on its data. */
  void kill();

  void restart();

  /** The process of the broker stops where it is, and connections stay open. */
  void freeze();

  void thaw();

  /** The broker answers that it cannot take anything at the moment. */
  void refuse();

  /** Ends {@link #refuse}. */
  void accept();

  /** The broker takes little at a time. */
  void throttle();

  /** A payload size that the destination never takes. */
  int tooLarge();

  @Override
  void close();

  /**
   * A message at the destination.
   *
   * @param eventId as a consumer recognises it
   */
  record Arrival(String eventId, @Nullable String key, String payload) {}
}
