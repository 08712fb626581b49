package outbox.contracts.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.spi.LeasedEventStore;
import outbox.spi.LeasedEventStore.ClaimRequest;
import outbox.spi.LeasedEventStore.Claimed;
import outbox.spi.LeasedEventStore.ClaimedEvent;
import outbox.spi.LeasedEventStore.Failure;
import outbox.spi.LeasedEventStore.Lease;
import outbox.spi.LeasedEventStore.RowState;
import outbox.spi.StoreException;

/** What the rules of the contract ask of the store, in their own words. */
interface StoreUnderTest {
  Duration LEASE = Duration.ofMinutes(1);
  Duration PAST_LEASE = LEASE.plusSeconds(1);

  LeasedEventStore store();

  LeasedEventStore deletingStore();

  Connection open() throws SQLException;

  Connection open(String zoneOffset) throws SQLException;

  void advance(Duration by);

  void stopAt(Instant instant);

  Instant now();

  Optional<EventStoreContract.Row> row(String eventId);

  void insertByOldVersion(String eventId, @Nullable String headersJson);

  boolean autoCommit();

  /** Runs one call of the store in its own transaction, by auto-commit or by commit. */
  default <T> T call(Function<Connection, T> work) {
    try (Connection connection = open()) {
      if (autoCommit()) {
        return work.apply(connection);
      }
      connection.setAutoCommit(false);
      T result = work.apply(connection);
      connection.commit();
      return result;
    } catch (SQLException e) {
      throw new StoreException("contract", e);
    }
  }

  default Connection beginTransaction() throws SQLException {
    Connection connection = open();
    connection.setAutoCommit(false);
    return connection;
  }

  default EventStoreContract.Row stored(String eventId) {
    Optional<EventStoreContract.Row> row = row(eventId);
    assertThat(row).as("row of %s", eventId).isPresent();
    return row.orElseThrow();
  }

  default EventEnvelope event(String eventId) {
    return EventEnvelope.builder("Type").eventId(eventId).payloadJson("{}").build();
  }

  default void insert(EventEnvelope event) {
    call(
        connection -> {
          store().insertNew(connection, event);
          return event;
        });
  }

  default void insert(String... eventIds) {
    for (String id : eventIds) {
      insert(event(id));
    }
  }

  /** In one transaction, for tests with many events. */
  default void insertTogether(Collection<String> eventIds) {
    try (Connection connection = beginTransaction()) {
      eventIds.forEach(id -> store().insertNew(connection, event(id)));
      connection.commit();
    } catch (SQLException e) {
      throw new StoreException("contract", e);
    }
  }

  default void insertLeased(EventEnvelope event, String owner) {
    call(
        connection -> {
          store().insert(connection, event, new Lease(owner, LEASE));
          return event;
        });
  }

  default ClaimRequest request(String owner, int limit) {
    return new ClaimRequest(owner, LEASE, limit, Long.MAX_VALUE, null, Duration.ZERO);
  }

  default Claimed claim(ClaimRequest request) {
    return call(connection -> store().claim(connection, request));
  }

  default List<ClaimedEvent> claim(String owner) {
    return claim(request(owner, 100)).events();
  }

  default ClaimedEvent claimOnly(String owner) {
    List<ClaimedEvent> claimed = claim(owner);
    assertThat(claimed).hasSize(1);
    return claimed.get(0);
  }

  default List<String> claimIds(String owner) {
    return ids(claim(owner));
  }

  default List<String> ids(Collection<ClaimedEvent> claimed) {
    return claimed.stream().map(claim -> claim.event().eventId()).toList();
  }

  default int markDone(String eventId) {
    return call(connection -> store().markDone(connection, eventId));
  }

  default int markRetry(String eventId, Instant nextAt, @Nullable String error) {
    return call(connection -> store().markRetry(connection, eventId, nextAt, error));
  }

  default int markDead(String eventId, @Nullable String error) {
    return call(connection -> store().markDead(connection, eventId, error));
  }

  default List<ClaimedEvent> claimById(String owner, String... eventIds) {
    return call(connection -> store().claimById(connection, owner, LEASE, List.of(eventIds)));
  }

  default Map<String, RowState> inspect(Collection<String> eventIds) {
    return call(connection -> store().inspect(connection, eventIds));
  }

  default Collection<String> ack(String owner, String... eventIds) {
    return call(connection -> store().ack(connection, owner, List.of(eventIds)));
  }

  default Collection<String> abandon(String owner, Failure... failures) {
    return call(connection -> store().abandon(connection, owner, Arrays.asList(failures)));
  }

  default Collection<String> fail(String owner, Failure... failures) {
    return call(connection -> store().fail(connection, owner, Arrays.asList(failures)));
  }

  default Collection<String> defer(String owner, Duration delay, String... eventIds) {
    return call(connection -> store().defer(connection, owner, List.of(eventIds), delay));
  }

  default Collection<String> renew(String owner, String... eventIds) {
    return call(connection -> store().renew(connection, owner, List.of(eventIds), LEASE));
  }

  default Collection<String> markStarted(String owner, String... eventIds) {
    return call(connection -> store().markStarted(connection, owner, List.of(eventIds), LEASE));
  }

  default int reap(Duration grace, int limit) {
    return reap(grace, limit, Integer.MAX_VALUE);
  }

  default int reap(Duration grace, int limit, int window) {
    return call(connection -> store().reapExpired(connection, grace, limit, window));
  }
}
