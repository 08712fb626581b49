package outbox.contracts.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.OutboxClient;
import outbox.contracts.support.CountingMetrics;
import outbox.dispatch.OutboxDispatcher;
import outbox.model.EventStatus;
import outbox.registry.DefaultListenerRegistry;

/** A transactional listener's writes and the completion of its event are one transaction. */
interface TransactionalRules extends OutboxUnderTest {

  @Test
  default void writesOfATransactionalListenerCommitWithTheCompletion() throws Exception {
    EventEnvelope effect = EventEnvelope.ofJson("Effect", "{}");
    EventEnvelope published = EventEnvelope.ofJson("Published", "{}");
    AtomicReference<OutboxClient> client = new AtomicReference<>();
    CountingMetrics metrics = new CountingMetrics();
    OutboxDispatcher dispatcher =
        dispatcher(
            config(),
            new DefaultListenerRegistry()
                .register("Published", event -> {})
                .registerTransactional(
                    "Any",
                    (event, connection) -> {
                      store().insertNew(connection, effect);
                      Objects.requireNonNull(client.get()).publish(published);
                    }),
            metrics);
    client.set(client(dispatcher));

    String id = publish(client(dispatcher), "Any");

    awaitStatus(id, EventStatus.DONE);
    assertThat(row(effect.eventId())).isPresent();
    awaitStatus(published.eventId(), EventStatus.DONE);
    awaitTrue(() -> metrics.success() == 2);
  }

  @Test
  default void leaseExpiresWhileATransactionWaitsForTheDatabaseAndAnotherNodeTakesOver()
      throws Exception {
    CountDownLatch waiting = new CountDownLatch(1);
    CountDownLatch answered = new CountDownLatch(1);
    AtomicInteger late = new AtomicInteger();
    OutboxDispatcher silent =
        closing(
            OutboxDispatcher.builder(connections(), store())
                .config(
                    config()
                        .setLeaseDuration(Duration.ofSeconds(1))
                        .setNetworkTimeout(Duration.ofMillis(200)))
                .listeners(
                    new DefaultListenerRegistry()
                        .registerTransactional("Any", (event, c) -> late.incrementAndGet()))
                .transactions(
                    work -> {
                      waiting.countDown();
                      awaitDespiteInterrupts(answered);
                      transactions().run(work);
                    })
                .build());
    String id = publish(client(silent), "Any");
    waiting.await();
    AtomicInteger helped = new AtomicInteger();
    startedPoller(
        dispatcher(
            config(),
            new DefaultListenerRegistry()
                .registerTransactional("Any", (event, c) -> helped.incrementAndGet())));

    awaitStatus(id, EventStatus.DONE);
    answered.countDown();
    silent.close();

    assertThat(helped).hasValue(1);
    assertThat(late).hasValue(0);
  }

  @Test
  default void failureOfATransactionalListenerRollsItsWritesBack() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    OutboxDispatcher dispatcher =
        dispatcher(
            config(),
            new DefaultListenerRegistry()
                .registerTransactional(
                    "Any",
                    (event, connection) -> {
                      int run = runs.incrementAndGet();
                      store().insertNew(connection, effect(run));
                      if (run == 1) {
                        throw new IllegalStateException("first run fails");
                      }
                    }));
    startedPoller(dispatcher);

    String id = publish(client(dispatcher), "Any");

    awaitStatus(id, EventStatus.DONE);
    assertThat(row("effect-1")).isEmpty();
    assertThat(row("effect-2")).isPresent();
    assertThat(row(id).orElseThrow().attempts()).isEqualTo(1);
  }

  @Test
  default void transactionalListenerThatLostItsLeaseLeavesNoEffect() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    CountingMetrics metrics = new CountingMetrics();
    OutboxDispatcher dispatcher =
        dispatcher(
            config(),
            new DefaultListenerRegistry()
                .registerTransactional(
                    "Any",
                    (event, connection) -> {
                      store().insertNew(connection, effect(1));
                      started.countDown();
                      release.await();
                    }),
            metrics);
    String id = publish(client(dispatcher), "Any");
    started.await();
    String holder = Objects.requireNonNull(row(id).orElseThrow().owner());
    try (Connection connection = connections().getConnection()) {
      connection.setAutoCommit(true);
      store().defer(connection, holder, List.of(id), Duration.ofMinutes(10));
    }

    release.countDown();

    awaitTrue(() -> metrics.leaseLost() + metrics.success() == 1);
    assertThat(metrics.success()).isZero();
    assertThat(row("effect-1")).isEmpty();
    assertThat(row(id).orElseThrow().status()).isEqualTo(EventStatus.NEW);
  }

  @Test
  default void transactionalListenerCannotEndTheTransactionItself() throws Exception {
    AtomicInteger refused = new AtomicInteger();
    OutboxDispatcher dispatcher =
        dispatcher(
            config(),
            new DefaultListenerRegistry()
                .registerTransactional(
                    "Any",
                    (event, connection) -> {
                      refuses(connection::commit, refused);
                      refuses(connection::rollback, refused);
                      refuses(connection::close, refused);
                      refuses(() -> connection.setAutoCommit(true), refused);
                    }));

    String id = publish(client(dispatcher), "Any");

    awaitStatus(id, EventStatus.DONE);
    assertThat(refused).hasValue(4);
  }

  private static void refuses(ThrowingCallable call, AtomicInteger refused) {
    assertThatThrownBy(call)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("not the listener's");
    refused.incrementAndGet();
  }

  private static EventEnvelope effect(int run) {
    return EventEnvelope.builder("Effect").eventId("effect-" + run).payloadJson("{}").build();
  }

  private static void awaitDespiteInterrupts(CountDownLatch latch) {
    boolean done = false;
    while (!done) {
      try {
        latch.await();
        done = true;
      } catch (InterruptedException e) {
        // Stands for a driver that waits for the network.
      }
    }
  }
}
