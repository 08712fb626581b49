package outbox.contracts.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import outbox.DeferException;
import outbox.EventEnvelope;
import outbox.HandlerContext;
import outbox.HandlerResult;
import outbox.OutboxMessage;
import outbox.PermanentFailureException;
import outbox.TransactionalOutboxHandler;
import outbox.contracts.support.CountingMetrics;
import outbox.dispatch.OutboxDispatcher;
import outbox.model.EventStatus;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.LeasedEventStore.Failure;
import outbox.spi.TransactionRunner;

/** A transactional handler's writes and the fate of its message are one transaction. */
interface TransactionalHandlerRules extends OutboxUnderTest {

  @Test
  default void writesOfATransactionalHandlerCommitWithTheCompletion() throws Exception {
    OutboxDispatcher dispatcher =
        dispatcher(
            config(),
            handler(
                (message, context, connection) -> {
                  write(connection, message.topic());
                  return HandlerResult.done();
                }));

    String id = publish(client(dispatcher), "Any");

    awaitStatus(id, EventStatus.DONE);
    assertThat(row("wrote-Any")).isPresent();
  }

  @Test
  default void transactionalHandlerKeepsItsWritesWhenItReturnsDeferred() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    OutboxDispatcher dispatcher =
        dispatcher(
            config(),
            handler(
                (message, context, connection) -> {
                  int run = runs.incrementAndGet();
                  write(connection, "run" + run);
                  return run < 3 ? HandlerResult.deferred(Duration.ZERO) : HandlerResult.done();
                }));
    startedPoller(dispatcher);

    String id = publish(client(dispatcher), "Any");

    awaitStatus(id, EventStatus.DONE);
    assertThat(runs).hasValue(3);
    assertThat(List.of("wrote-run1", "wrote-run2", "wrote-run3"))
        .allSatisfy(written -> assertThat(row(written)).isPresent());
    assertThat(row(id).orElseThrow().attempts()).isZero();
  }

  @Test
  default void deferExceptionRollsTheWritesBackAndCountsNothing() throws Exception {
    OutboxDispatcher dispatcher =
        dispatcher(
            config(),
            handler(
                (message, context, connection) -> {
                  write(connection, "lost");
                  throw new DeferException(Duration.ofMinutes(10));
                }));

    String id = publish(client(dispatcher), "Any");

    awaitTrue(() -> row(id).orElseThrow().owner() == null);
    assertThat(row(id).orElseThrow().status()).isEqualTo(EventStatus.NEW);
    assertThat(row("wrote-lost")).isEmpty();
  }

  @Test
  default void permanentFailureRollsTheWritesBackAndIsDead() throws Exception {
    OutboxDispatcher dispatcher =
        dispatcher(
            config(),
            handler(
                (message, context, connection) -> {
                  write(connection, "lost");
                  throw new PermanentFailureException("never");
                }));

    String id = publish(client(dispatcher), "Any");

    awaitStatus(id, EventStatus.DEAD);
    assertThat(row("wrote-lost")).isEmpty();
  }

  @Test
  default void deferralOfATransactionalHandlerThatLostItsLeaseLeavesNoEffect() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    CountingMetrics metrics = new CountingMetrics();
    OutboxDispatcher dispatcher =
        dispatcher(
            config(),
            handler(
                (message, context, connection) -> {
                  write(connection, "lost");
                  started.countDown();
                  release.await();
                  return HandlerResult.deferred(Duration.ofMinutes(1));
                }),
            metrics);
    String id = publish(client(dispatcher), "Any");
    started.await();
    String holder = Objects.requireNonNull(row(id).orElseThrow().owner());
    try (Connection connection = connections().getConnection()) {
      connection.setAutoCommit(true);
      store().fail(connection, holder, List.of(failure(id)));
    }

    release.countDown();

    awaitTrue(() -> metrics.leaseLost() == 1);
    assertThat(row("wrote-lost")).isEmpty();
    assertThat(row(id).orElseThrow().status()).isEqualTo(EventStatus.DEAD);
  }

  @Test
  default void lostLeaseIsNoFailureWhateverTheTransactionRunnerWrapsItIn() throws Exception {
    CountingMetrics metrics = new CountingMetrics();
    DefaultListenerRegistry listeners =
        handler(
            (message, context, connection) -> {
              write(connection, "lost");
              endElsewhere(message.id().value());
              return HandlerResult.done();
            });
    OutboxDispatcher dispatcher =
        closing(
            OutboxDispatcher.builder(connections(), store())
                .config(config())
                .listeners(listeners)
                .metrics(metrics)
                .transactions(this::runWrapping)
                .build());

    String id = publish(client(dispatcher), "Any");

    awaitTrue(() -> metrics.leaseLost() + metrics.failure() == 1);
    assertThat(metrics.failure()).isZero();
    assertThat(row("wrote-lost")).isEmpty();
    assertThat(row(id).orElseThrow().status()).isEqualTo(EventStatus.DEAD);
  }

  private void runWrapping(TransactionRunner.Work work) {
    try {
      transactions().run(work);
    } catch (Exception e) {
      throw new IllegalStateException("rolled back", e);
    }
  }

  private void endElsewhere(String id) throws SQLException {
    String holder = Objects.requireNonNull(row(id).orElseThrow().owner());
    try (Connection connection = connections().getConnection()) {
      connection.setAutoCommit(true);
      store().fail(connection, holder, List.of(failure(id)));
    }
  }

  private static Failure failure(String id) {
    return new Failure(id, Duration.ZERO, "ended by another worker");
  }

  private void write(Connection connection, String what) {
    store()
        .insertNew(
            connection,
            EventEnvelope.builder("Written").eventId("wrote-" + what).payloadJson("{}").build());
  }

  private static DefaultListenerRegistry handler(Body body) {
    return new DefaultListenerRegistry()
        .register("Written", event -> {})
        .register(
            new TransactionalOutboxHandler() {
              @Override
              public String topic() {
                return "Any";
              }

              @Override
              public HandlerResult handle(
                  OutboxMessage message, HandlerContext context, Connection connection)
                  throws Exception {
                return body.handle(message, context, connection);
              }
            });
  }

  /** What a transactional handler does, without its topic. */
  interface Body {
    HandlerResult handle(OutboxMessage message, HandlerContext context, Connection connection)
        throws Exception;
  }
}
