package outbox.internal.engine.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.spi.MetricsExporter;
import outbox.spi.StoreException;
import outbox.testing.memory.InMemoryEventStore;

class EngineConnectionsTest {
  private static final int LIMIT_MILLIS = 700;

  private final DatabaseHealth health = new DatabaseHealth("", MetricsExporter.NOOP);
  private final Connection pooled = open();
  private final List<String> calls = new ArrayList<>();
  private String refused = "";

  @Test
  void connectionIsUsedInAutoCommitModeWithALimitAndGivenBackAsItWas() throws Exception {
    pooled.setAutoCommit(false);

    String seen = call(c -> c.getAutoCommit() + " " + c.getNetworkTimeout());

    assertThat(seen).isEqualTo("true " + LIMIT_MILLIS);
    assertThat(pooled.getAutoCommit()).isFalse();
    assertThat(pooled.getNetworkTimeout()).isZero();
    assertThat(calls).last().isEqualTo("close");
  }

  @Test
  void connectionInAutoCommitModeIsLeftInIt() throws Exception {
    boolean seen = call(Connection::getAutoCommit);

    assertThat(seen).isTrue();

    assertThat(pooled.getAutoCommit()).isTrue();
    assertThat(calls).doesNotContain("setAutoCommit");
  }

  @Test
  void connectionIsGivenBackAsItWasAfterAFailureToo() throws Exception {
    pooled.setAutoCommit(false);

    assertThatThrownBy(
            () ->
                call(
                    c -> {
                      throw new StoreException("no answer", new SQLException("timeout"));
                    }))
        .hasMessage("no answer");

    assertThat(pooled.getAutoCommit()).isFalse();
    assertThat(pooled.getNetworkTimeout()).isZero();
    assertThat(calls).last().isEqualTo("close");
  }

  @Test
  void connectionThatCannotBeRestoredIsBrokenBeforeItGoesBack() throws Exception {
    String stored =
        call(
            c -> {
              refused = "setNetworkTimeout";
              return "stored";
            });

    assertThat(stored).isEqualTo("stored");
    assertThat(calls).endsWith("setNetworkTimeout", "abort", "close");
  }

  @Test
  void connectionThatIsClosedAlreadyIsNotRestored() throws Exception {
    pooled.setAutoCommit(false);
    String stored =
        call(
            c -> {
              pooled.close();
              calls.clear();
              return "stored";
            });

    assertThat(stored).isEqualTo("stored");
    assertThat(calls).containsOnly("isClosed", "close");
  }

  @Test
  void answerEndsTheOutageOfItsOperation() throws Exception {
    health.failed("claim", new SQLException("down"));
    health.failed("completion", new SQLException("down"));

    String answer = call(c -> "answer");

    assertThat(answer).isEqualTo("answer");
    assertThat(health.isDown()).isTrue();
    health.succeeded("completion");
    assertThat(health.isDown()).isFalse();
  }

  @Test
  void noConnectionIsAFailureOfTheStore() {
    EngineConnections none =
        new EngineConnections(
            () -> {
              throw new SQLException("connection refused", "08001");
            },
            health,
            Duration.ofMillis(LIMIT_MILLIS));

    assertThatThrownBy(() -> none.call("claim", c -> "never"))
        .isInstanceOf(StoreException.class)
        .hasMessage("connection: connection refused");
  }

  private interface Work<T> {
    T on(Connection connection) throws SQLException;
  }

  private <T> T call(Work<T> work) {
    return new EngineConnections(this::watched, health, Duration.ofMillis(LIMIT_MILLIS))
        .call(
            "claim",
            connection -> {
              try {
                return work.on(connection);
              } catch (SQLException e) {
                throw new AssertionError(e);
              }
            });
  }

  /** The connection of the pool, which stays open when it is given back, and refuses one method. */
  private Connection watched() {
    return (Connection)
        Proxy.newProxyInstance(
            EngineConnectionsTest.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, args) -> {
              calls.add(method.getName());
              if (method.getName().equals(refused)) {
                throw new SQLException("broken pipe", "08006");
              }
              if (method.getName().equals("close") || method.getName().equals("abort")) {
                return null;
              }
              try {
                return method.invoke(pooled, args);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private static Connection open() {
    try {
      return new InMemoryEventStore().connections().getConnection();
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }
}
