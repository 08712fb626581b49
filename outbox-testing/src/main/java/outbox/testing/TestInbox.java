package outbox.testing;

import static java.util.Objects.requireNonNull;

import java.util.Optional;
import outbox.DeadLetters;
import outbox.PayloadCodec;
import outbox.PayloadListener;
import outbox.dispatch.OutboxDispatcher;
import outbox.inbox.Inbox;
import outbox.inbox.InboxHandler;
import outbox.inbox.InboxHandlers;
import outbox.inbox.InboxKey;
import outbox.inbox.InboxMessage;
import outbox.inbox.ReceiveResult;
import outbox.inbox.TransactionalInboxHandler;
import outbox.spi.MetricsExporter;
import outbox.testing.memory.InMemoryInboxStore;

/**
 * A whole inbox in memory, with the engine of production, for tests without a database. Handlers
 * run in {@link #runAll} and at no other time, and time passes when the test moves the {@link
 * #clock}. Thread-safe.
 *
 * <pre>{@code
 * try (TestInbox inbox = TestInbox.create()
 *     .handler("payment.received", Payment.class, payment -> ledger.add(payment))) {
 *   inbox.receive(new InboxKey("bank", "7"), "payment.received", new Payment("42", 900));
 *   inbox.runAll();
 * }
 * }</pre>
 */
public final class TestInbox implements AutoCloseable {
  private final SettableClock clock;
  private final PayloadCodec codec;
  private final InMemoryInboxStore store;
  private final InboxHandlers handlers = new InboxHandlers();
  private final InjectedFailures failures = new InjectedFailures();
  private final OutboxDispatcher dispatcher;
  private final OutboxDriver driver;
  private final Inbox inbox;

  private TestInbox(Builder setup) {
    this.clock = setup.clock;
    this.codec = setup.codec;
    this.store = new InMemoryInboxStore(clock);
    this.dispatcher =
        setup.start(
            OutboxDispatcher.builder(store.connections(), store.events())
                .listeners(handlers)
                .propagation(failures)
                .transactions(store.transactions()));
    this.driver = OutboxDriver.of(dispatcher);
    this.inbox =
        Inbox.builder(store.connections(), store)
            .codec(codec)
            .hotPath(dispatcher, MetricsExporter.NOOP)
            .build();
  }

  /** Creates an inbox with the settings of production and one worker. */
  public static TestInbox create() {
    return builder().build();
  }

  /** For an inbox with other settings, or with the clock of a {@link TestOutbox}. */
  public static Builder builder() {
    return new Builder();
  }

  /** Adds a handler of its topic. */
  public TestInbox handler(InboxHandler handler) {
    handlers.register(handler);
    return this;
  }

  /** Adds a handler of its topic that gets a connection; in memory it knows no SQL. */
  public TestInbox transactionalHandler(TransactionalInboxHandler handler) {
    handlers.register(handler);
    return this;
  }

  /** Adds a handler that is written as a lambda. */
  public TestInbox handler(String topic, InboxHandler.Body body) {
    return handler(InboxHandler.of(topic, body));
  }

  /** Adds a handler that takes the payload as an object. */
  public <T> TestInbox handler(String topic, Class<T> type, PayloadListener<T> handler) {
    requireNonNull(type, "type");
    return handler(
        topic,
        (message, context) ->
            handler.handle(type.cast(codec.read(requireNonNull(message.payload()), type))));
  }

  /** Adds a handler that gets a connection; in memory it knows no SQL. */
  public TestInbox transactionalHandler(String topic, TransactionalInboxHandler.Body body) {
    return transactionalHandler(TransactionalInboxHandler.of(topic, body));
  }

  /** Lets the next call of the handler of the topic fail, instead of running the handler. */
  public TestInbox failNext(String topic, Exception failure) {
    return failNext(topic, 1, failure);
  }

  /** Lets the next calls of the handler of the topic fail, so many of them. */
  public TestInbox failNext(String topic, int times, Exception failure) {
    failures.add(topic, times, failure);
    return this;
  }

  /** Takes a message in, with a payload that the codec writes; see {@link Inbox#receive}. */
  public ReceiveResult receive(InboxKey key, String topic, Object payload) {
    return inbox.receive(key, topic, payload);
  }

  /**
   * Runs the handlers of all messages that are due by the {@link #clock}, and waits for them.
   * Retries and messages that are due later stay.
   *
   * @throws AssertionError if a handler still runs after a minute
   */
  public void runAll() {
    driver.runAll();
  }

  /** Returns the message as it is stored, with its status and its last error. */
  public Optional<InboxMessage> find(InboxKey key) {
    requireNonNull(key, "key");
    return store.connections().inAutoCommit(connection -> store.find(connection, key));
  }

  /** Returns what the test moves: due times, retries and leases go by it. */
  public SettableClock clock() {
    return clock;
  }

  /** Returns the messages that ended DEAD, to be looked at or replayed. */
  public DeadLetters deadLetters() {
    return inbox.deadLetters();
  }

  /** Returns what an application receives by. */
  public Inbox inbox() {
    return inbox;
  }

  /** Stops the engine. Closing twice is harmless. */
  @Override
  public void close() {
    dispatcher.close();
  }

  /** Collects the settings of an inbox in memory. Not thread-safe. */
  public static final class Builder extends TestSettings<Builder> {
    private Builder() {}

    @Override
    Builder self() {
      return this;
    }

    /** Builds the inbox. */
    public TestInbox build() {
      return new TestInbox(this);
    }
  }
}
