package outbox.jdbc;

import static org.awaitility.Awaitility.await;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SignalSmokeTest {
  @Test
  void signalsAndReconnects() throws Exception {
    try (EmbeddedPostgres pg = EmbeddedPostgres.start()) {
      var ds = pg.getPostgresDatabase();
      AtomicInteger a = new AtomicInteger();
      AtomicInteger b = new AtomicInteger();
      try (PostgresNodeSignal one = new PostgresNodeSignal(ds::getConnection);
          PostgresNodeSignal two = new PostgresNodeSignal(ds::getConnection)) {
        one.listen(a::incrementAndGet);
        two.listen(b::incrementAndGet);
        await().atMost(Duration.ofSeconds(60)).until(() -> a.get() == 1 && b.get() == 1);
        long t = System.nanoTime();
        one.send();
        await()
            .atMost(Duration.ofSeconds(60))
            .pollInterval(Duration.ofMillis(1))
            .until(() -> b.get() == 2);
        System.out.println("SIGNAL ms " + (System.nanoTime() - t) / 1e6 + " own " + a.get());
        try (Connection c = ds.getConnection();
            Statement s = c.createStatement()) {
          s.execute(
              "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'");
        }
        await().atMost(Duration.ofSeconds(60)).until(() -> a.get() >= 2 && b.get() >= 3);
        int before = a.get();
        two.send();
        await().atMost(Duration.ofSeconds(60)).until(() -> a.get() > before);
      }
    }
  }
}
