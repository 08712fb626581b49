package outbox.jdbc.model;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import outbox.contracts.store.EventStoreContract.Row;
import outbox.inbox.InboundMessage;
import outbox.inbox.Inbox;
import outbox.inbox.InboxBuilder;
import outbox.inbox.InboxKey;
import outbox.inbox.InboxMessage;
import outbox.inbox.InboxStatus;
import outbox.inbox.InboxStore;
import outbox.inbox.InboxWorkStore;
import outbox.inbox.ReceiveResult;
import outbox.model.OwnerToken;
import outbox.spi.ConnectionProvider;
import outbox.spi.StoreException;

/** The inbox under test, on a store for which time stands still. */
abstract class StoredInboxes implements InboxBook, AutoCloseable {
  /** Stands for the token under which no worker is. */
  static final String NO_OWNER = "none";

  private static final String SOURCE = "shop";

  private Instant now = Queue.START;
  private @Nullable FailingConnections failing;
  private @Nullable Parts parts;

  private record Parts(InboxStore store, Inbox inbox, InboxWorkStore work) {}

  /** In auto-commit mode. */
  abstract ConnectionProvider connections();

  abstract InboxStore storeAt(Instant now);

  /** Every message by its message id as the queue sees it, read without the store. */
  abstract Map<String, Row> events();

  abstract void clear();

  @Override
  public abstract void close();

  final void startAfresh() {
    clear();
    now = Queue.START;
    parts = null;
    failing = null;
  }

  private FailingConnections failing() {
    FailingConnections present = failing;
    if (present == null) {
      present = new FailingConnections(connections());
      failing = present;
    }
    return present;
  }

  private Parts parts() {
    Parts present = parts;
    if (present == null) {
      InboxStore store = storeAt(now);
      InboxBuilder builder =
          Inbox.builder(failing(), store)
              .workQueue(
                  queue ->
                      queue
                          .maxAttempts(Queue.MAX_ATTEMPTS)
                          .maxLeaseExpiries(Queue.MAX_LEASE_EXPIRIES));
      present = new Parts(store, builder.build(), builder.buildWorkStore());
      parts = present;
    }
    return present;
  }

  @Override
  public final void failsBy(@Nullable Fault fault) {
    failing().failBy(fault);
  }

  @Override
  public final Instant tick(Duration by) {
    now = now.plus(by);
    parts = null;
    return now;
  }

  @Override
  public final String receive(String key, Content content, boolean given) {
    InboundMessage message = inbound(key, content);
    ReceiveResult result =
        given
            ? inTransaction(c -> parts().inbox().receive(c, message))
            : parts().inbox().receive(message);
    return result.kind() + " " + result.contentDiffers();
  }

  @Override
  public final String enqueue(String key, Content content, boolean given) {
    InboundMessage message = inbound(key, content);
    if (given) {
      inTransaction(
          c -> {
            parts().inbox().enqueue(c, message);
            return key;
          });
    } else {
      parts().inbox().enqueue(message);
    }
    return "done";
  }

  private InboundMessage inbound(String key, Content content) {
    return InboundMessage.of(key(key), content.topic(), content.payload())
        .withHash(bytes(content.hash()))
        .withDueTime(content.due() == null ? null : now.plus(content.due()));
  }

  @Override
  public final boolean alreadyProcessed(String key, @Nullable String hash, boolean given) {
    return given
        ? inTransaction(c -> parts().inbox().alreadyProcessed(c, key(key), bytes(hash)))
        : parts().inbox().alreadyProcessed(key(key), bytes(hash));
  }

  @Override
  public final boolean markProcessing(String key) {
    return parts().inbox().markProcessing(key(key));
  }

  @Override
  public final boolean markProcessed(String key, boolean given) {
    return given
        ? inTransaction(c -> parts().inbox().markProcessed(c, key(key)))
        : parts().inbox().markProcessed(key(key));
  }

  @Override
  public final boolean markDead(String key) {
    return parts().inbox().markDead(key(key));
  }

  @Override
  public final int replay(Collection<String> keys) {
    return parts().inbox().replay(keys.stream().map(StoredInboxes::key).toList(), "ann").size();
  }

  @Override
  public final List<String> claim(String owner, Duration lease, int batchSize) {
    return parts().work().claim(new OwnerToken(owner), lease, batchSize).stream()
        .map(
            message ->
                InboxModel.claimedText(
                    message.messageId(),
                    message.contentVersion(),
                    message.payload(),
                    message.attempt()))
        .sorted()
        .toList();
  }

  @Override
  public final List<String> ack(String owner, Collection<Held> held) {
    return keys(parts().work().ack(new OwnerToken(owner), messages(held)));
  }

  @Override
  public final List<String> abandon(
      String owner, Collection<Held> held, @Nullable String error, @Nullable Duration delay) {
    return keys(parts().work().abandon(new OwnerToken(owner), messages(held), error, delay));
  }

  @Override
  public final List<String> fail(String owner, Collection<Held> held, String error) {
    return keys(parts().work().fail(new OwnerToken(owner), messages(held), error));
  }

  @Override
  public final int reapExpired() {
    return parts().work().reapExpired();
  }

  /** Only key and version of a message count for the work queue. */
  private static List<InboxMessage> messages(Collection<Held> held) {
    return held.stream()
        .map(
            each ->
                new InboxMessage(
                    key(each.key()),
                    InboxStatus.PROCESSING,
                    "topic",
                    "",
                    null,
                    0,
                    each.contentVersion(),
                    Queue.START,
                    Queue.START,
                    null,
                    null))
        .toList();
  }

  private static List<String> keys(Set<InboxKey> keys) {
    return keys.stream().map(InboxKey::messageId).sorted().toList();
  }

  static InboxKey key(String messageId) {
    return new InboxKey(SOURCE, messageId);
  }

  private static byte @Nullable [] bytes(@Nullable String hash) {
    return hash == null ? null : hash.getBytes(UTF_8);
  }

  private <T> T inTransaction(Function<Connection, T> work) {
    try (Connection connection = failing().getConnection()) {
      connection.setAutoCommit(false);
      try {
        T result = work.apply(connection);
        connection.commit();
        return result;
      } catch (SQLException | RuntimeException e) {
        StoredJoins.rollBack(connection, e);
        throw e;
      }
    } catch (SQLException e) {
      throw new StoreException("model", e);
    }
  }

  @Override
  public final Map<String, Kept> rows() {
    Map<String, Kept> rows = new TreeMap<>();
    events()
        .forEach(
            (key, event) -> {
              InboxMessage message =
                  connections().inAutoCommit(c -> parts().store().find(c, key(key))).orElseThrow();
              rows.put(key, new Kept(named(event), text(message)));
            });
    return rows;
  }

  private static String text(InboxMessage message) {
    byte[] hash = message.hash();
    return InboxModel.messageText(
        message.status(),
        topic(message),
        message.hasPayload() ? message.payload() : null,
        hash == null ? null : new String(hash, UTF_8),
        message.contentVersion(),
        message.lastSeen(),
        message.dueTime());
  }

  private static @Nullable String topic(InboxMessage message) {
    try {
      return message.topic();
    } catch (IllegalStateException e) {
      return null;
    }
  }

  /** Tokens under which content is pinned or fenced off are told by whose they are. */
  private static Row named(Row row) {
    return new Row(
        row.status(),
        row.attempts(),
        row.availableAt(),
        row.createdAt(),
        row.doneAt(),
        owner(row.owner()),
        row.leaseExpiries(),
        owner(row.processedBy()),
        row.lastError(),
        row.idempotencyKey(),
        row.listeners());
  }

  private static @Nullable String owner(@Nullable String token) {
    if (token == null) {
      return null;
    }
    return token.matches("[ABC](@\\d+)?") ? token.substring(0, 1) : NO_OWNER;
  }
}
