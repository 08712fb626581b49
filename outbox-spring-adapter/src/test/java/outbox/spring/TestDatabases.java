package outbox.spring;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** Databases for tests: each call makes an empty one behind a small pool. */
final class TestDatabases {
  private static final AtomicInteger NUMBER = new AtomicInteger();

  private TestDatabases() {}

  static HikariDataSource h2() {
    return pool("jdbc:h2:mem:spring" + NUMBER.incrementAndGet() + ";DB_CLOSE_DELAY=-1", "sa");
  }

  static HikariDataSource postgres() {
    String name = "spring" + NUMBER.incrementAndGet();
    try (Connection connection = Postgres.SERVER.getPostgresDatabase().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE DATABASE " + name);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    return pool(Postgres.SERVER.getJdbcUrl("postgres", name), "postgres");
  }

  private static HikariDataSource pool(String url, String user) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setUsername(user);
    config.setMaximumPoolSize(10);
    config.setMinimumIdle(1);
    return new HikariDataSource(config);
  }

  /** Started once, stopped with the JVM. */
  private static final class Postgres {
    private static final EmbeddedPostgres SERVER = start();

    private static EmbeddedPostgres start() {
      try {
        return EmbeddedPostgres.builder().setPGStartupWait(Duration.ofMinutes(5)).start();
      } catch (IOException e) {
        throw new UncheckedIOException("PostgreSQL did not start", e);
      }
    }
  }

  /** So that a test names its database in a word. */
  enum Kind implements Supplier<HikariDataSource> {
    H2 {
      @Override
      public HikariDataSource get() {
        return h2();
      }
    },
    POSTGRES {
      @Override
      public HikariDataSource get() {
        return postgres();
      }
    }
  }
}
