package outbox.internal.engine.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.spi.ConnectionProvider;
import outbox.testing.memory.InMemoryEventStore;

@Timeout(60)
class StoppableConnectionsTest {
  private final ConnectionProvider all = new InMemoryEventStore().connections();

  @AfterEach
  void clearInterrupt() {
    boolean unused = Thread.interrupted();
  }

  @Test
  void givesNoConnectionOnceItIsStopped() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    StoppableConnections connections =
        new StoppableConnections(
            () -> {
              asked.incrementAndGet();
              return all.getConnection();
            });
    connections.getConnection().close();

    connections.stop();

    assertThatThrownBy(connections::getConnection)
        .isInstanceOf(SQLTransientConnectionException.class)
        .hasMessageContaining("closed");
    assertThat(asked).hasValue(1);
  }

  @Test
  void stoppingEndsAWaitForAConnection() throws Exception {
    CountDownLatch waiting = new CountDownLatch(1);
    StoppableConnections connections =
        new StoppableConnections(
            () -> {
              waiting.countDown();
              try {
                new CountDownLatch(1).await();
              } catch (InterruptedException e) {
                throw new SQLException(e);
              }
              return all.getConnection();
            });
    Thread waiter =
        new Thread(
            () ->
                assertThatThrownBy(connections::getConnection)
                    .hasCauseInstanceOf(InterruptedException.class));
    waiter.start();
    waiting.await();

    connections.stop();

    waiter.join();
  }

  @Test
  void stoppingDoesNotInterruptAThreadThatHasItsConnection() throws Exception {
    StoppableConnections connections = new StoppableConnections(all);
    try (Connection connection = connections.getConnection()) {
      connections.stop();

      assertThat(connection.isClosed()).isFalse();
      assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }
  }

  @Test
  void interruptOfAWaitThatSucceededAllTheSameGoesNoFurther() throws Exception {
    Runnable[] stop = new Runnable[1];
    StoppableConnections connections =
        new StoppableConnections(
            () -> {
              stop[0].run();
              return all.getConnection();
            });
    stop[0] = connections::stop;

    connections.getConnection().close();

    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }

  @Test
  void interruptByOthersStays() throws Exception {
    StoppableConnections connections = new StoppableConnections(all);
    Thread.currentThread().interrupt();

    connections.getConnection().close();

    assertThat(Thread.currentThread().isInterrupted()).isTrue();
  }
}
