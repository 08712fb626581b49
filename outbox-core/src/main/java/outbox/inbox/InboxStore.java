package outbox.inbox;

import static java.util.Comparator.comparing;

import java.sql.Connection;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import outbox.spi.LeasedEventStore;
import outbox.spi.LeasedEventStore.Lease;

/**
 * Where the messages of an inbox are kept: by their key for the {@link Inbox}, and as events with
 * leases for the engine. What the engine does to a message it does through {@link #events}.
 *
 * <p><b>Transactions.</b> On a connection in auto-commit mode each method is atomic by itself;
 * otherwise it joins the caller's transaction. No method closes the connection. Database errors
 * come as {@link outbox.spi.StoreException}.
 *
 * <p>Every call that brings a message moves its last-seen time to the database's now.
 */
public interface InboxStore {

  /** Returns the store of the messages as events with leases, for the engine. */
  LeasedEventStore events();

  /**
   * Stores a message whose key is new or has no content yet; changes no content otherwise. A known
   * key gets its content by a second statement: if that fails in auto-commit mode, only the
   * last-seen time has moved, and the next call stores the content.
   *
   * @param eventId the id under which {@link #events} will know it if its key is new
   * @param lease what its row is inserted with if its key is new; null if anyone may claim it
   */
  Receipt receive(Connection conn, InboundMessage message, String eventId, @Nullable Lease lease);

  /** Stores a message if its key is new or known without content, without a lease. */
  default ReceiveResult receive(Connection conn, InboundMessage message) {
    return receive(conn, message, newEventId(message.key()), null).result();
  }

  /**
   * Stores those messages whose key is new or has no content yet, all or none, as {@link
   * #receive(Connection, InboundMessage, String, Lease)} does one by one. Of a key that is given
   * twice the second message is known already. Keys are locked in their order, so that calls that
   * meet in the same keys do not wait for each other in a circle. A store overrides this to do it
   * by few statements.
   *
   * @return a receipt for each, in the same order
   */
  default List<Receipt> receiveAll(Connection conn, List<Arrival> arrivals) {
    return events()
        .inTransaction(
            conn,
            () -> {
              Receipt[] receipts = new Receipt[arrivals.size()];
              IntStream.range(0, receipts.length)
                  .boxed()
                  .sorted(
                      comparing(place -> arrivals.get(place).message().key(), InboxKey.BY_SOURCE))
                  .forEach(
                      place -> {
                        Arrival each = arrivals.get(place);
                        receipts[place] =
                            receive(conn, each.message(), each.eventId(), each.lease());
                      });
              return Arrays.asList(receipts);
            });
  }

  /** Returns an id for a message that arrives. */
  String newEventId(InboxKey key);

  /**
   * Stores a message, or replaces content, hash and due time of one that is not DONE. If topic or
   * payload really differ, its content version grows and its count of expired leases starts again
   * at 0. A lease on the old content runs to its end, but the database refuses what its holder
   * stores.
   *
   * @return where the message stands now, and whether both it and the stored message had a hash and
   *     these differed
   */
  Sighting enqueue(Connection conn, InboundMessage message);

  /** Stores an unknown key as SEEN; keeps the hash if there is none yet. */
  Sighting see(Connection conn, InboxKey key, byte @Nullable [] hash);

  /**
   * Moves a message by hand: to PROCESSING only from SEEN, to DONE and DEAD from either of the two.
   * The message has no lease afterwards.
   *
   * @return whether it moved
   */
  boolean mark(Connection conn, InboxKey key, InboxStatus status);

  /** Finds a message by its key. */
  Optional<InboxMessage> find(Connection conn, InboxKey key);

  /** The ids under which {@link #events} knows these messages; unknown keys are absent. */
  Map<InboxKey, String> eventIds(Connection conn, Collection<InboxKey> keys);

  /**
   * Puts those of the messages under another token that are leased to the owner, or to that token
   * already, with the very content that they have here. No worker holds other content under it.
   *
   * @return those that are under it now, with the ids under which {@link #events} knows them
   */
  Map<InboxKey, String> pin(
      Connection conn, String owner, String pinned, int contentVersion, Collection<InboxKey> keys);

  /**
   * A message that is received with others.
   *
   * @param eventId the id under which {@link #events} will know it if its key is new
   * @param lease what its row is inserted with if its key is new; null if anyone may claim it
   */
  record Arrival(InboundMessage message, String eventId, @Nullable Lease lease) {
    /** Returns the same with a lease. */
    Arrival leased(@Nullable Lease lease) {
      return new Arrival(message, eventId, lease);
    }
  }

  /**
   * What became of a message that was received.
   *
   * @param inserted whether its key was new, so that it has the id and the lease that were given
   */
  record Receipt(ReceiveResult result, boolean inserted) {}

  /**
   * How a message was found.
   *
   * @param contentDiffers the hash is another than the one stored
   */
  record Sighting(InboxStatus status, boolean contentDiffers) {}
}
