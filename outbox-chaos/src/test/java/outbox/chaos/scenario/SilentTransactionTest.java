package outbox.chaos.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import outbox.EventEnvelope;
import outbox.OutboxConfig;
import outbox.TransactionalEventListener;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.db.CuttableProxy;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;

/**
 * The connections of a node go silent without a reset while a transactional listener runs; new ones
 * work, so that its leases could be renewed. The worker is free again after the network timeout,
 * the event is handled by this node or another, and its effect happens once.
 */
@Tag("slow")
class SilentTransactionTest {
  private static final OutboxConfig CONFIG =
      new OutboxConfig()
          .setDispatcherWorkers(1)
          .setLeaseDuration(Duration.ofSeconds(4))
          .setNetworkTimeout(Duration.ofSeconds(1))
          .setPollerIntervalMs(200)
          .setDrainTimeout(Duration.ZERO);

  private static final int POOL_SIZE = 6;

  private enum Moment {
    BEGIN,
    STATEMENT_OF_THE_LISTENER,
    COMPLETION,
    COMMIT
  }

  private static Stream<Arguments> cases() {
    return Stream.of(Product.POSTGRES_NEWEST, Product.MARIADB, Product.MYSQL)
        .flatMap(product -> Stream.of(Moment.values()).map(at -> Arguments.of(product, at)));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void freesTheWorkerAndTakesEffectOnce(Product product, Moment moment) throws Exception {
    try (TestDatabase database = TestDatabase.create(product)) {
      database.execute("CREATE TABLE effect (event_id VARCHAR(64))");
      int port = URI.create(database.url().substring("jdbc:".length())).getPort();
      try (CuttableProxy proxy = CuttableProxy.to(port)) {
        Silence silence = new Silence(proxy);
        try (HikariDataSource pool =
                new SilencingPool(
                    database.url().replace(":" + port + "/", ":" + proxy.port() + "/"),
                    method -> silenceAt(moment, method, silence));
            JdbcOutbox silent =
                JdbcOutbox.builder(pool)
                    .createSchema()
                    .config(CONFIG)
                    .transactionalListener("Any", listener(moment, silence::begin))
                    .start();
            JdbcOutbox other =
                JdbcOutbox.builder(database.dataSource())
                    .config(CONFIG)
                    .transactionalListener("Any", listener(moment, () -> {}))
                    .start()) {
          awaitFull(pool);
          String id = publish(silent);
          await().atMost(Chaos.PATIENCE).until(silence::hasBegun);
          // The application has no network timeout: it must not be given a silent connection.
          pool.getHikariPoolMXBean().softEvictConnections();
          String next = publish(silent);
          await().atMost(Chaos.PATIENCE).until(() -> isDone(database, next));
          if (moment == Moment.COMMIT) {
            // The completion has locked the row until the server notices that the client is gone.
            proxy.cut();
          }
          await().atMost(Chaos.PATIENCE).until(() -> isDone(database, id));
          assertThat(effects(database, id)).isEqualTo(1);
          assertThat(effects(database, next)).isEqualTo(1);
          assertThat(other).isNotNull();
        }
      }
    }
  }

  private static TransactionalEventListener listener(Moment moment, Runnable silence) {
    return (event, connection) -> {
      if (moment == Moment.STATEMENT_OF_THE_LISTENER) {
        silence.run();
      }
      try (PreparedStatement insert =
          connection.prepareStatement("INSERT INTO effect (event_id) VALUES (?)")) {
        insert.setString(1, event.eventId());
        insert.executeUpdate();
      }
      if (moment == Moment.COMPLETION) {
        silence.run();
      }
    };
  }

  private static void silenceAt(Moment moment, Method method, Silence silence) {
    String name =
        moment == Moment.BEGIN ? "setAutoCommit" : moment == Moment.COMMIT ? "commit" : "";
    if (method.getName().equals(name)
        && Thread.currentThread().getName().startsWith("outbox-worker")) {
      silence.begin();
    }
  }

  /**
   * A pool opens connections on one thread. If the silence met one that is being opened, that
   * thread would wait for the rest of its handshake.
   */
  private static void awaitFull(HikariDataSource pool) {
    await()
        .atMost(Chaos.PATIENCE)
        .until(() -> pool.getHikariPoolMXBean().getTotalConnections() == POOL_SIZE);
  }

  private static String publish(JdbcOutbox outbox) throws Exception {
    EventEnvelope event = EventEnvelope.ofJson("Any", "{}");
    await()
        .atMost(Chaos.PATIENCE)
        .ignoreExceptions()
        .until(
            () -> {
              outbox.inTransaction(connection -> outbox.publish(event));
              return true;
            });
    return event.eventId();
  }

  private static boolean isDone(TestDatabase database, String id) throws SQLException {
    return count(
            database, "SELECT count(*) FROM outbox_event WHERE status = 1 AND event_id = ?", id)
        == 1;
  }

  private static int effects(TestDatabase database, String id) throws SQLException {
    return count(database, "SELECT count(*) FROM effect WHERE event_id = ?", id);
  }

  private static int count(TestDatabase database, String sql, String id) throws SQLException {
    try (Connection connection = database.dataSource().getConnection();
        PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, id);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getInt(1);
      }
    }
  }

  /** Silences all connections that are open, once. */
  private static final class Silence {
    private final CuttableProxy proxy;
    private final AtomicBoolean armed = new AtomicBoolean(true);
    private volatile boolean begun;

    private Silence(CuttableProxy proxy) {
      this.proxy = proxy;
    }

    private void begin() {
      if (armed.compareAndSet(true, false)) {
        proxy.silence();
        begun = true;
      }
    }

    private boolean hasBegun() {
      return begun;
    }
  }

  @FunctionalInterface
  private interface Hook {
    void before(Method method);
  }

  /** A pool that soon notices silent connections, and tells before a method is called on one. */
  private static final class SilencingPool extends HikariDataSource {
    private final Hook hook;

    private SilencingPool(String url, Hook hook) {
      super(config(url));
      this.hook = hook;
    }

    private static HikariConfig config(String url) {
      HikariConfig config = new HikariConfig();
      config.setJdbcUrl(url);
      config.setMaximumPoolSize(POOL_SIZE);
      config.setMinimumIdle(POOL_SIZE);
      config.setConnectionTimeout(2000);
      config.setValidationTimeout(250);
      return config;
    }

    @Override
    public Connection getConnection() throws SQLException {
      Connection target = super.getConnection();
      return (Connection)
          Proxy.newProxyInstance(
              Connection.class.getClassLoader(),
              new Class<?>[] {Connection.class},
              (proxy, method, arguments) -> {
                hook.before(method);
                try {
                  return method.invoke(target, arguments);
                } catch (InvocationTargetException e) {
                  throw e.getCause();
                }
              });
    }
  }
}
