package outbox.chaos.scenario;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.nio.file.Path;
import javax.sql.DataSource;
import outbox.EventListener;
import outbox.OutboxConfig;
import outbox.chaos.scenario.Journal.Fact;
import outbox.jdbc.JdbcOutbox;

/** An outbox in this JVM that keeps a journal, and a pool of its own that tests may hurt. */
final class LocalNode implements AutoCloseable {
  private static final int POOL_SIZE = 20;
  private static final long CONNECTION_TIMEOUT_MS = 1000;

  private final HikariDataSource pool;
  private final Journal journal;
  private final JdbcOutbox outbox;
  private final Account account;

  private LocalNode(
      HikariDataSource pool,
      DataSource truth,
      Path file,
      OutboxConfig config,
      EventListener listener)
      throws IOException {
    this.pool = pool;
    this.journal = new Journal(file);
    this.account = new Account(truth, file);
    this.outbox =
        JdbcOutbox.builder(pool)
            .config(config)
            .listener(
                Publishers.EVENT_TYPE,
                event -> {
                  journal.write(Fact.HANDLED, event.eventId());
                  listener.onEvent(event);
                })
            .start();
  }

  /**
   * Starts it.
   *
   * @param truth a way to the database that is not hurt
   */
  static LocalNode start(HikariDataSource pool, DataSource truth, Path file, OutboxConfig config)
      throws IOException {
    return start(pool, truth, file, config, event -> {});
  }

  static LocalNode start(
      HikariDataSource pool,
      DataSource truth,
      Path file,
      OutboxConfig config,
      EventListener listener)
      throws IOException {
    return new LocalNode(pool, truth, file, config, listener);
  }

  /** A pool that does not let its users wait for half a minute, as the default one does. */
  static HikariConfig poolConfig(String url) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setMaximumPoolSize(POOL_SIZE);
    config.setConnectionTimeout(CONNECTION_TIMEOUT_MS);
    config.setValidationTimeout(CONNECTION_TIMEOUT_MS);
    return config;
  }

  static HikariDataSource pool(String url) {
    return new HikariDataSource(poolConfig(url));
  }

  Publishers publish(int threads, int limit) {
    return Publishers.start(outbox, journal, threads, limit);
  }

  Account account() {
    return account;
  }

  @Override
  public void close() throws IOException {
    outbox.close();
    journal.close();
    pool.close();
  }
}
