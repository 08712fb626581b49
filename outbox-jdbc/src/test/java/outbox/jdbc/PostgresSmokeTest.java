package outbox.jdbc;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

@org.jspecify.annotations.NullUnmarked
class PostgresSmokeTest extends StoreSmoke {
  static EmbeddedPostgres postgres;

  @BeforeAll
  static void start() throws Exception {
    postgres = EmbeddedPostgres.start();
  }

  @AfterAll
  static void stop() throws Exception {
    postgres.close();
  }

  @Override
  DataSource dataSource() {
    return postgres.getPostgresDatabase();
  }
}
