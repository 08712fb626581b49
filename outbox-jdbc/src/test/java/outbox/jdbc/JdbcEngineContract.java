package outbox.jdbc;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.OutboxClient;
import outbox.contracts.engine.EngineContract;
import outbox.contracts.store.EventStoreContract.Row;
import outbox.contracts.support.Spec;
import outbox.dispatch.OutboxDispatcher;
import outbox.jdbc.JdbcTransactionManager.Transaction;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.schema.OutboxSchema;
import outbox.model.EventStatus;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeasedEventStore;
import outbox.spi.MetricsExporter;
import outbox.spi.StoreException;
import outbox.spi.TransactionRunner;
import outbox.spi.TxContext;

/** The engine on a database of its own; subclasses say {@link On} which. */
abstract class JdbcEngineContract extends EngineContract {
  @SuppressWarnings("NullAway.Init")
  private static TestDatabase database;

  private static @Nullable RestrictedUser user;

  private LeasedEventStore store = new JdbcOutboxRepository();
  private final ThreadLocalTxContext txContext = new ThreadLocalTxContext();
  private final JdbcTransactionManager transactions =
      new JdbcTransactionManager(connections(), txContext);

  @BeforeAll
  static void deploy(TestInfo test) {
    On on = requireNonNull(test.getTestClass().orElseThrow().getAnnotation(On.class));
    database = TestDatabase.create(on.value(), on.options());
    OutboxSchema schema = OutboxSchema.of(database.dataSource());
    (on.restricted() ? schema.withRoutines() : schema).deploy();
    user = on.restricted() ? new RestrictedUser(database) : null;
  }

  @AfterAll
  static void drop() {
    if (user != null) {
      user.close();
    }
    if (database != null) {
      database.close();
    }
  }

  @BeforeEach
  void empty() {
    database.execute("DELETE FROM outbox_event");
  }

  @Test
  @Spec("FRM-23")
  void whatWasPublishedIsNotDeliveredIfTheCommitFails() throws Exception {
    Deque<Connection> opened = new ArrayDeque<>();
    ConnectionProvider provider =
        () -> {
          Connection connection = connections().getConnection();
          opened.push(connection);
          return connection;
        };
    List<String> received = new CopyOnWriteArrayList<>();
    OutboxDispatcher dispatcher =
        dispatcher(
            config(),
            new DefaultListenerRegistry().registerAll(event -> received.add(event.eventId())));
    ThreadLocalTxContext context = new ThreadLocalTxContext();
    OutboxClient client = new OutboxClient(context, store(), dispatcher, MetricsExporter.NOOP);
    Transaction transaction = new JdbcTransactionManager(provider, context).begin();
    String lost = client.publish(EventEnvelope.ofJson("Any", "{}"));
    opened.pop().close();

    assertThatThrownBy(transaction::commit)
        .isInstanceOf(StoreException.class)
        .hasMessage("commit failed");
    String kept = publish(client(dispatcher), "Any");
    awaitStatus(kept, EventStatus.DONE);
    dispatcher.close();

    assertThat(received).containsExactly(kept);
    assertThat(row(lost)).isEmpty();
  }

  @Test
  void severalNamedListenersCostNoStatementMoreThanOne() throws Exception {
    EventListener listener = event -> {};
    DefaultListenerRegistry listeners =
        new DefaultListenerRegistry()
            .register("One", listener)
            .register("Several", "mail", listener)
            .register("Several", "broker", listener)
            .register("Several", "audit", listener);
    WatchedConnections watched = new WatchedConnections(database.dataSource(), true);
    OutboxDispatcher dispatcher =
        closing(
            OutboxDispatcher.builder(watched, store())
                .config(config())
                .listeners(listeners)
                .build());

    int one = statementsOf("One", dispatcher, watched);

    assertThat(statementsOf("Several", dispatcher, watched)).isEqualTo(one).isBetween(1, 2);
  }

  private int statementsOf(String topic, OutboxDispatcher dispatcher, WatchedConnections watched)
      throws Exception {
    int before = watched.statements();
    String id = publish(client(dispatcher), topic);
    awaitStatus(id, EventStatus.DONE);
    assertThat(row(id).orElseThrow().listeners()).isNull();
    return watched.statements() - before;
  }

  @Test
  void manyArePublishedByOneStatement() throws Exception {
    WatchedConnections watched = new WatchedConnections(database.dataSource(), true);
    OutboxClient client =
        client(dispatcher(config(), new DefaultListenerRegistry().registerAll(event -> {})));
    List<EventEnvelope> events =
        Stream.generate(() -> EventEnvelope.ofJson("Any", "{}")).limit(100).toList();

    new JdbcTransactionManager(watched, txContext).run(c -> client.publishAll(events));

    assertThat(watched.statements()).isEqualTo(1);
    awaitStatus(events.get(99).eventId(), EventStatus.DONE);
  }

  @Override
  public LeasedEventStore store() {
    return store;
  }

  @Override
  public final ConnectionProvider connections() {
    TestDatabase entered = user == null ? database : user.database();
    return new DataSourceConnectionProvider(entered.dataSource());
  }

  @Override
  public TxContext txContext() {
    return txContext;
  }

  @Override
  public TransactionRunner transactions() {
    return transactions;
  }

  @Override
  public Optional<Row> row(String eventId) {
    return EventRow.find(database.dataSource(), eventId);
  }

  @Override
  public void advance(Duration by) {
    String now = MovableNow.moved(database.product(), by);
    store = JdbcOutboxRepository.builder().nowExpression(now).build();
  }

  @Override
  public void insertByOldVersion(String eventId, String headersJson) {
    try (Connection connection = database.dataSource().getConnection()) {
      Version1.insert(connection, eventId, "payload_text", headersJson, Instant.now());
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
