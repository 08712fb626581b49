package outbox.testing;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import outbox.DeadLetters;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.OutboxClient;
import outbox.OutboxHandler;
import outbox.PayloadCodec;
import outbox.PayloadListener;
import outbox.TransactionalEventListener;
import outbox.TransactionalOutboxHandler;
import outbox.dispatch.OutboxDispatcher;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.MetricsExporter;
import outbox.spi.StoreException;
import outbox.testing.memory.InMemoryEventStore;
import outbox.testing.memory.InMemoryTransactions;
import outbox.testing.memory.StoredEvent;

/**
 * A whole outbox in memory, with the engine of production, for tests without a database. Listeners
 * run in {@link #runAll} and {@link #runUntilSettled} and at no other time, and time passes when
 * the test moves the {@link #clock}. Thread-safe.
 *
 * <pre>{@code
 * try (TestOutbox outbox = TestOutbox.create()
 *     .listener("OrderPlaced", OrderPlaced.class, order -> mail.confirm(order.customer()))) {
 *   outbox.publish("OrderPlaced", new OrderPlaced(42, "book"));
 *   outbox.runAll();
 *   assertThat(outbox.published()).contains("OrderPlaced").withStatus(EventStatus.DONE);
 * }
 * }</pre>
 *
 * <p>Transactions are in memory, too: a {@code Connection} of them knows no SQL.
 */
public final class TestOutbox implements AutoCloseable {
  private static final int MOST_ROUNDS = 10_000;

  private final SettableClock clock;
  private final PayloadCodec codec;
  private final InMemoryEventStore store;
  private final InMemoryTransactions transactions;
  private final DefaultListenerRegistry listeners = new DefaultListenerRegistry();
  private final InjectedFailures failures = new InjectedFailures();
  private final OutboxDispatcher dispatcher;
  private final OutboxDriver driver;
  private final OutboxClient client;
  private final Outbox queue;
  private final PublishedEvents published;

  private TestOutbox(Builder setup) {
    this.clock = setup.clock;
    this.codec = setup.codec;
    this.store = new InMemoryEventStore(clock);
    this.transactions = store.transactions();
    this.dispatcher =
        setup.start(
            OutboxDispatcher.builder(store.connections(), store)
                .listeners(listeners)
                .propagation(failures)
                .transactions(transactions));
    this.driver = OutboxDriver.of(dispatcher);
    this.client = new OutboxClient(transactions, store, dispatcher, MetricsExporter.NOOP, codec);
    this.queue =
        OutboxBuilder.of(store.connections(), store)
            .txContext(transactions)
            .codec(codec)
            .hotPath(dispatcher, MetricsExporter.NOOP)
            .build();
    this.published = PublishedEvents.in(this::read, codec);
  }

  /** Creates an outbox with the settings of production and one worker. */
  public static TestOutbox create() {
    return builder().build();
  }

  /** For an outbox with other settings. */
  public static Builder builder() {
    return new Builder();
  }

  /** Adds a listener that takes the event. */
  public TestOutbox listener(String topic, EventListener listener) {
    listeners.register(topic, listener);
    return this;
  }

  /** Adds a listener under a name of its own, by which a failed event keeps what became of it. */
  public TestOutbox listener(String topic, String name, EventListener listener) {
    listeners.register(topic, name, listener);
    return this;
  }

  /** Adds a listener that takes the payload as an object. */
  public <T> TestOutbox listener(String topic, Class<T> type, PayloadListener<T> listener) {
    requireNonNull(type, "type");
    return listener(topic, event -> listener.handle(codec.read(event, type)));
  }

  /** Adds a listener that takes the payload as an object, and the event beside it. */
  public <T> TestOutbox listener(
      String topic, Class<T> type, PayloadListener.With<T, EventEnvelope> listener) {
    requireNonNull(type, "type");
    return listener(topic, event -> listener.handle(codec.read(event, type), event));
  }

  /** Adds a listener whose publications commit together with the completion of the event. */
  public TestOutbox transactionalListener(String topic, TransactionalEventListener listener) {
    listeners.registerTransactional(topic, listener);
    return this;
  }

  /** Adds a transactional listener that takes the payload as an object, and the connection. */
  public <T> TestOutbox transactionalListener(
      String topic, Class<T> type, PayloadListener.With<T, Connection> listener) {
    requireNonNull(type, "type");
    return transactionalListener(
        topic, (event, connection) -> listener.handle(codec.read(event, type), connection));
  }

  /** Adds a handler of its topic. */
  public TestOutbox handler(OutboxHandler handler) {
    listeners.register(handler);
    return this;
  }

  /** Adds a handler of its topic that gets a connection; in memory it knows no SQL. */
  public TestOutbox transactionalHandler(TransactionalOutboxHandler handler) {
    listeners.register(handler);
    return this;
  }

  /** Adds a handler that is written as a lambda. */
  public TestOutbox handler(String topic, OutboxHandler.Body body) {
    return handler(OutboxHandler.of(topic, body));
  }

  /**
   * Lets the next call of a listener of the topic fail, instead of running the listener.
   *
   * @param failure what the engine sees, such as a {@code PermanentFailureException}
   */
  public TestOutbox failNext(String topic, Exception failure) {
    return failNext(topic, 1, failure);
  }

  /** Lets the next calls of listeners of the topic fail, so many of them. */
  public TestOutbox failNext(String topic, int times, Exception failure) {
    failures.add(topic, times, failure);
    return this;
  }

  /**
   * Stores an event whose payload the codec writes, in the transaction of this thread or in one of
   * its own.
   *
   * @return the event's id
   */
  public String publish(String topic, Object payload) {
    return publish(topic, payload, event -> {});
  }

  /**
   * Stores an event with more facts than its topic and payload, such as its key or its due time.
   *
   * @return the event's id, or that of the first event with its key
   */
  public String publish(String topic, Object payload, Consumer<EventEnvelope.Builder> facts) {
    EventEnvelope.Builder event = EventEnvelope.builder(topic).payload(payload, codec);
    facts.accept(event);
    return publish(event.build());
  }

  /**
   * Stores an event, in the transaction of this thread or in one of its own.
   *
   * @return the event's id, or that of the first event with its key
   */
  public String publish(EventEnvelope event) {
    if (transactions.isTransactionActive()) {
      return client.publish(event);
    }
    String[] id = new String[1];
    inTransaction(() -> id[0] = client.publish(event));
    return id[0];
  }

  /**
   * Runs the body in a transaction: commits when it returns, rolls back when it throws. Throws what
   * the body throws.
   */
  public <E extends Exception> void inTransaction(Body<E> body) throws E {
    begin();
    try {
      body.run();
    } catch (Throwable e) {
      end(false);
      throw e;
    }
    end(true);
  }

  private void begin() {
    try {
      transactions.begin();
    } catch (SQLException e) {
      throw new StoreException("the transaction cannot begin", e);
    }
  }

  private void end(boolean commits) {
    try {
      if (commits) {
        transactions.commit();
      } else {
        transactions.rollback();
      }
    } catch (SQLException e) {
      throw new StoreException("the transaction cannot end", e);
    }
  }

  /**
   * Runs the listeners of all events that are due by the {@link #clock}, and of those that they
   * publish, and waits for them. Retries and events that are due later stay.
   *
   * @throws AssertionError if a listener still runs after a minute
   */
  public void runAll() {
    driver.runAll();
  }

  /**
   * As {@link #runAll}, and moves the clock from due time to due time until each event with a
   * listener is DONE or DEAD: retries take no time.
   *
   * @throws AssertionError if that takes 10,000 steps, such as with a listener that always defers
   */
  public void runUntilSettled() {
    for (int round = 0; round < MOST_ROUNDS; round++) {
      runAll();
      Optional<Instant> next =
          store.findAll().stream()
              .filter(row -> row.status().isLive())
              .filter(row -> !listeners.listenersFor(row.event().eventType()).isEmpty())
              .map(StoredEvent::availableAt)
              .min(Instant::compareTo);
      if (next.isEmpty()) {
        return;
      }
      if (next.get().isAfter(clock.instant())) {
        clock.set(next.get());
      }
    }
    throw new AssertionError("not settled after " + MOST_ROUNDS + " steps: " + published);
  }

  /** Returns what the test moves: due times, retries and leases go by it. */
  public SettableClock clock() {
    return clock;
  }

  /** Returns the events that are stored, with what became of them. */
  public PublishedEvents published() {
    return published;
  }

  /** Returns the events that ended DEAD, to be looked at or replayed. */
  public DeadLetters deadLetters() {
    return queue.deadLetters();
  }

  /** Returns what an application publishes by. */
  public OutboxClient client() {
    return client;
  }

  /** Returns the same events as a work queue, which also publishes outside of transactions. */
  public Outbox queue() {
    return queue;
  }

  /** Returns who listens to what, to register listeners of other kinds, such as of batches. */
  public DefaultListenerRegistry listeners() {
    return listeners;
  }

  /** Returns what stands for the transactions of the application. */
  public InMemoryTransactions transactions() {
    return transactions;
  }

  /** Returns the rows. */
  public InMemoryEventStore store() {
    return store;
  }

  /** Stops the engine. Closing twice is harmless. */
  @Override
  public void close() {
    dispatcher.close();
  }

  /** Rows are ordered by their ids, which grow with time. */
  private List<PublishedEvent> read(PayloadCodec codec) {
    return store.findAll().stream()
        .map(
            row ->
                new PublishedEvent(
                    EventEnvelope.of(row.event()),
                    row.status(),
                    row.event().attempts(),
                    row.lastError(),
                    codec))
        .toList();
  }

  /**
   * What happens inside a transaction.
   *
   * @param <E> what it throws; inferred for a lambda
   */
  @FunctionalInterface
  public interface Body<E extends Exception> {
    /** Does the work of the transaction. */
    void run() throws E;
  }

  /** Collects the settings of an outbox in memory. Not thread-safe. */
  public static final class Builder extends TestSettings<Builder> {
    private Builder() {}

    @Override
    Builder self() {
      return this;
    }

    /** Builds the outbox. */
    public TestOutbox build() {
      return new TestOutbox(this);
    }
  }
}
