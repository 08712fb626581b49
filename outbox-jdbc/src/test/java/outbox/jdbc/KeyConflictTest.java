package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.Outbox.Enqueued;
import outbox.OutboxBuilder;
import outbox.contracts.support.Spec;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.schema.OutboxSchema;
import outbox.spi.StoreException;

/**
 * Many transactions, each with a business row, bring the same keys at the same time, at the level
 * that the database has by default. {@code -Doutbox.keys=1000} is the long form.
 */
@Timeout(600)
class KeyConflictTest {
  private static final int THREADS = 32;
  private static final int KEYS = Integer.getInteger("outbox.keys", 20);

  @ParameterizedTest
  @EnumSource(names = {"POSTGRES_NEWEST", "MARIADB", "MYSQL", "H2"})
  @Spec({"IDEM-14", "IDEM-17", "IDEM-82"})
  void everyBusinessRowIsCommittedAndEveryKeyOnce(Product product) throws Exception {
    try (TestDatabase database = deployed(product);
        HikariDataSource pool = pool(database)) {
      CyclicBarrier barrier = new CyclicBarrier(THREADS);
      AtomicInteger added = new AtomicInteger();
      Outbox outbox = outbox(pool);

      together(
          thread -> {
            for (int i = 0; i < KEYS; i++) {
              barrier.await(120, TimeUnit.SECONDS);
              try (Connection connection = pool.getConnection()) {
                connection.setAutoCommit(false);
                insertBusinessRow(connection, thread * KEYS + i);
                if (!outbox.enqueue(connection, keyed("key-" + i)).alreadyExisted()) {
                  added.incrementAndGet();
                }
                connection.commit();
              }
            }
          });

      assertThat(added).hasValue(KEYS);
      assertThat(count(pool, "outbox_event")).isEqualTo(KEYS);
      assertThat(count(pool, "business")).isEqualTo(THREADS * KEYS);
    }
  }

  /** Without one order of the keys, two of them would wait for each other. */
  @ParameterizedTest
  @EnumSource(names = {"POSTGRES_NEWEST", "MARIADB", "MYSQL", "H2"})
  @Spec({"IDEM-14", "IDEM-17"})
  void manyKeysInAnyOrderDoNotDeadlock(Product product) throws Exception {
    try (TestDatabase database = deployed(product);
        HikariDataSource pool = pool(database)) {
      CyclicBarrier barrier = new CyclicBarrier(THREADS);
      AtomicInteger added = new AtomicInteger();
      Outbox outbox = outbox(pool);

      together(
          thread -> {
            for (int round = 0; round < 3; round++) {
              List<EventEnvelope> messages = new ArrayList<>();
              for (int i = 0; i < 30; i++) {
                messages.add(keyed("key-" + round + "-" + i));
              }
              Collections.shuffle(messages, new Random(thread));
              barrier.await(120, TimeUnit.SECONDS);
              try (Connection connection = pool.getConnection()) {
                connection.setAutoCommit(false);
                insertBusinessRow(connection, thread * 3 + round);
                outbox.enqueueAll(connection, messages).stream()
                    .filter(enqueued -> !enqueued.alreadyExisted())
                    .forEach(isNew -> added.incrementAndGet());
                connection.commit();
              }
            }
          });

      assertThat(added).hasValue(90);
      assertThat(count(pool, "business")).isEqualTo(THREADS * 3);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"POSTGRES_NEWEST", "MARIADB", "MYSQL", "H2"})
  @Spec("IDEM-14")
  void aKeyThatTheSnapshotCannotSeeIsFoundOrSaidToBeThere(Product product) throws Exception {
    try (TestDatabase database = deployed(product);
        HikariDataSource pool = pool(database);
        Connection connection = pool.getConnection()) {
      Outbox outbox = outbox(pool);
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      connection.setAutoCommit(false);
      count(connection, "outbox_event");
      Enqueued first = outbox.enqueue(keyed("k"));

      if (product.isInnoDb()) {
        assertThat(outbox.enqueue(connection, keyed("k")).id()).isEqualTo(first.id());
        insertBusinessRow(connection, 1);
        connection.commit();
      } else {
        assertThatThrownBy(() -> outbox.enqueue(connection, keyed("k")))
            .isInstanceOf(StoreException.class)
            .hasMessageContaining("READ COMMITTED")
            .cause()
            .isInstanceOfSatisfying(
                SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("40001"));
        connection.rollback();
        assertThat(outbox.enqueue(connection, keyed("k")).id()).isEqualTo(first.id());
        connection.commit();
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"POSTGRES_NEWEST", "MARIADB", "MYSQL", "H2"})
  @Spec({"IDEM-04", "IDEM-70"})
  void theDatabaseItselfRefusesASecondRowOfAKey(Product product) throws Exception {
    try (TestDatabase database = deployed(product);
        HikariDataSource pool = pool(database);
        Connection connection = pool.getConnection()) {
      outbox(pool).enqueue(keyed("k"));
      outbox(pool).enqueue(keyed("k2"));

      try (Statement statement = connection.createStatement()) {
        assertThatThrownBy(() -> statement.execute("UPDATE outbox_event SET idempotency_key = 'k'"))
            .isInstanceOf(SQLException.class)
            .extracting(e -> ((SQLException) e).getSQLState())
            .asString()
            .startsWith("23");
      }
    }
  }

  private static TestDatabase deployed(Product product) {
    TestDatabase database = TestDatabase.create(product);
    OutboxSchema.of(database.dataSource()).deploy();
    database.execute("CREATE TABLE business (id INT PRIMARY KEY)");
    return database;
  }

  private static HikariDataSource pool(TestDatabase database) {
    HikariDataSource pool = TestDatabase.pool(database.url());
    pool.setMaximumPoolSize(THREADS + 2);
    return pool;
  }

  private static Outbox outbox(HikariDataSource pool) {
    return OutboxBuilder.of(new DataSourceConnectionProvider(pool), new JdbcOutboxRepository())
        .build();
  }

  private static EventEnvelope keyed(String key) {
    return EventEnvelope.builder("topic")
        .tenantId("acme")
        .idempotencyKey(key)
        .payloadJson("{}")
        .build();
  }

  private static void insertBusinessRow(Connection connection, int id) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement("INSERT INTO business (id) VALUES (?)")) {
      insert.setInt(1, id);
      insert.executeUpdate();
    }
  }

  private static int count(HikariDataSource pool, String table) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      return count(connection, table);
    }
  }

  private static int count(Connection connection, String table) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT COUNT(*) FROM " + table)) {
      row.next();
      return row.getInt(1);
    }
  }

  private static void together(Work work) throws Exception {
    ExecutorService executor = Executors.newFixedThreadPool(THREADS);
    try {
      List<Future<?>> results =
          IntStream.range(0, THREADS)
              .<Future<?>>mapToObj(
                  thread ->
                      executor.submit(
                          () -> {
                            work.run(thread);
                            return thread;
                          }))
              .toList();
      for (Future<?> result : results) {
        result.get();
      }
    } finally {
      executor.shutdownNow();
    }
  }

  @FunctionalInterface
  private interface Work {
    void run(int thread) throws Exception;
  }
}
