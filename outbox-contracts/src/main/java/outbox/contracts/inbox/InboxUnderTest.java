package outbox.contracts.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import outbox.inbox.InboundMessage;
import outbox.inbox.Inbox;
import outbox.inbox.InboxKey;
import outbox.inbox.InboxMessage;
import outbox.inbox.InboxStatus;
import outbox.inbox.InboxStore;
import outbox.inbox.InboxWorkStore;
import outbox.model.OwnerToken;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeasedEventStore.RowState;
import outbox.spi.TransactionRunner;

/** What the rules of the inbox's contract ask for, in their own words. */
interface InboxUnderTest {
  Duration LEASE = Duration.ofMinutes(1);
  Duration PAST_LEASE = LEASE.plusSeconds(1);
  OwnerToken ME = new OwnerToken("me");
  OwnerToken OTHER = new OwnerToken("other");
  InboxKey KEY = new InboxKey("shop", "message-1");

  InboxStore store();

  ConnectionProvider connections();

  TransactionRunner transactions();

  /** Lets the store's now be later by this, as well as what it is already. */
  void advance(Duration by);

  /** Lets the store's now stand still at this instant until it is advanced. */
  void stopAt(Instant instant);

  /** The store's now. */
  Instant now();

  /** Closed after the test. */
  <T extends AutoCloseable> T closing(T closeable);

  /** A connection in a transaction; closing it without a commit rolls back. */
  default Connection begun() throws SQLException {
    Connection connection = connections().getConnection();
    connection.setAutoCommit(false);
    return connection;
  }

  /** On the store as it is now: {@link #advance} makes another one. */
  default Inbox inbox() {
    return Inbox.builder(connections(), store()).build();
  }

  default InboxWorkStore work() {
    return Inbox.builder(connections(), store()).buildWorkStore();
  }

  default InboundMessage inbound(InboxKey key, String topic, String payload) {
    return InboundMessage.of(key, topic, payload);
  }

  default void enqueue(InboxKey key, String payload) {
    inbox().enqueue(inbound(key, "topic", payload));
  }

  default void enqueueDue(InboxKey key, String payload, @Nullable Instant dueTime) {
    inbox().enqueue(InboundMessage.of(key, "topic", payload).withDueTime(dueTime));
  }

  default List<InboxMessage> claim(OwnerToken owner) {
    return work().claim(owner, LEASE, 100);
  }

  default InboxMessage claimOnly(OwnerToken owner) {
    List<InboxMessage> claimed = claim(owner);
    assertThat(claimed).hasSize(1);
    return claimed.get(0);
  }

  default InboxMessage stored(InboxKey key) {
    return work().get(key).orElseThrow(() -> new AssertionError("no message " + key));
  }

  /** The messages with the content that they have now, as one who claims them gets them. */
  default List<InboxMessage> held(InboxKey... keys) {
    return held(List.of(keys));
  }

  default List<InboxMessage> held(Collection<InboxKey> keys) {
    return keys.stream().map(key -> work().get(key).orElseGet(() -> unknown(key))).toList();
  }

  private InboxMessage unknown(InboxKey key) {
    return new InboxMessage(
        key, InboxStatus.PROCESSING, "topic", "{}", null, 0, 1, now(), now(), null, null);
  }

  default InboxStatus status(InboxKey key) {
    return stored(key).status();
  }

  /** The owner of a message as the store's events know it; null if it is not leased. */
  default @Nullable String owner(InboxKey key) {
    return connections().inAutoCommit(connection -> new Owner(ownerIn(connection, key))).token();
  }

  default @Nullable String ownerIn(Connection connection, InboxKey key) {
    Map<InboxKey, String> ids = store().eventIds(connection, List.of(key));
    Map<String, RowState> rows = store().events().inspect(connection, ids.values());
    return rows.values().iterator().next().owner();
  }

  /** Carries a null out of a function that must return something. */
  record Owner(@Nullable String token) {}

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  default void awaitTrue(Callable<Boolean> condition) {
    await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(5)).until(condition);
  }
}
