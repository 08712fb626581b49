package outbox.jdbc.internal.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.jdbc.JdbcOutboxRepository;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.schema.OutboxSchema;
import outbox.routing.OutboxDatabase;

/** How one database of many is connected. */
@Timeout(180)
class TenantDatabaseTest {
  private static final Duration SHORT = Duration.ofSeconds(2);
  private static final Duration LONG = Duration.ofMinutes(1);

  private final TestDatabase target = TestDatabase.create(Product.POSTGRES_NEWEST);
  private final JdbcOutboxRepository events = new JdbcOutboxRepository();

  @AfterEach
  void drop() {
    target.close();
  }

  @Test
  void statementThatTheDatabaseDoesNotAnswerInTimeFails() throws Exception {
    TenantDatabase tenant = tenant(OutboxDatabase.of("one", target.url()), false, SHORT);
    try (Connection connection = tenant.open();
        Statement statement = connection.createStatement()) {

      assertThatThrownBy(() -> statement.execute("SELECT pg_sleep(100)"))
          .isInstanceOf(SQLException.class);
      assertThat(tenant.reset(connection)).as("usable").isFalse();
    }
  }

  @Test
  void timeLimitThatABorrowerHasChangedIsSetBack() throws Exception {
    TenantDatabase tenant = tenant(OutboxDatabase.of("one", target.url()), false, LONG);
    try (Connection connection = tenant.open()) {
      connection.setNetworkTimeout(Runnable::run, 0);

      assertThat(tenant.reset(connection)).isTrue();
      assertThat(connection.getNetworkTimeout()).isEqualTo(LONG.toMillis());
    }
  }

  @Test
  void schemaIsCreatedOnTheConnectionThatWasOpenedAndOnceOnly() throws Exception {
    AtomicInteger opened = new AtomicInteger();
    OutboxDatabase counted = OutboxDatabase.of("one", counting(target.dataSource(), opened));
    TenantDatabase tenant = tenant(counted, true, LONG);

    try (Connection first = tenant.open()) {
      assertThat(opened).hasValue(1);
      events.check(first);
      assertThat(first.getAutoCommit()).isTrue();
    }
    target.execute("DROP TABLE outbox_event");
    try (Connection second = tenant.open();
        Statement statement = second.createStatement()) {
      assertThatThrownBy(() -> statement.executeQuery("SELECT 1 FROM outbox_event"))
          .isInstanceOf(SQLException.class);
    }
  }

  @Test
  void schemaThatCannotBeCreatedInTimeIsTriedAgainByTheNextConnection() throws Exception {
    try (Connection other = target.dataSource().getConnection();
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("CREATE TABLE outbox_event (event_id VARCHAR(36))");
      TenantDatabase tenant = tenant(OutboxDatabase.of("one", target.url()), true, SHORT);
      assertThatThrownBy(tenant::open).as("waits for the other's table").isNotNull();

      other.rollback();
      try (Connection connection = tenant.open()) {
        events.check(connection);
      }
    }
  }

  private TenantDatabase tenant(OutboxDatabase database, boolean createSchema, Duration timeout) {
    return new TenantDatabase(
        database,
        createSchema ? connections -> OutboxSchema.of(connections).deploy() : null,
        timeout,
        new ConnectAttempts(1));
  }

  private static DataSource counting(DataSource source, AtomicInteger opened) {
    return (DataSource)
        Proxy.newProxyInstance(
            TenantDatabaseTest.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (proxy, method, args) -> {
              opened.incrementAndGet();
              return source.getConnection();
            });
  }
}
