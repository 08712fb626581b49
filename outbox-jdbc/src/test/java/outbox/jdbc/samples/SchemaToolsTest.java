package outbox.jdbc.samples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import liquibase.Liquibase;
import liquibase.database.jvm.JdbcConnection;
import liquibase.resource.DirectoryResourceAccessor;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import outbox.EventEnvelope;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.internal.schema.SchemaVersion;
import outbox.jdbc.schema.OutboxSchema;
import outbox.jdbc.schema.SchemaScript;
import outbox.jdbc.schema.SchemaStatus;
import outbox.jdbc.schema.SqlDialect;

/** The scripts as migrations of Flyway and Liquibase, as the schema's page shows it. */
@Tag("slow")
class SchemaToolsTest {
  private static final Pattern CHANGELOG =
      Pattern.compile("(?ms)^```yaml\\n(databaseChangeLog:.*?)^```$");

  @TempDir Path directory;

  @ParameterizedTest
  @EnumSource(names = {"POSTGRES_NEWEST", "POSTGRES_OLDEST", "H2"})
  void flywayCreatesTheTables(Product product) throws Exception {
    try (TestDatabase database = TestDatabase.create(product)) {
      DataSource dataSource = database.dataSource();
      SchemaScript scripts = SchemaScript.of(dialect(database));
      write("V1__orders.sql", "CREATE TABLE orders (id BIGINT PRIMARY KEY);");
      write("V2__outbox.sql", scripts.outbox());
      write("V3__more.sql", scripts.joins("outbox_join") + "\n" + scripts.inbox("outbox_inbox"));
      if (!product.isH2()) {
        write("R__routines.sql", scripts.routines("outbox_join"));
      }
      String migrations = "filesystem:" + directory;
      CountDownLatch handled = new CountDownLatch(1);

      // region flyway
      Flyway.configure().dataSource(dataSource).locations(migrations).load().migrate();

      JdbcOutbox outbox =
          JdbcOutbox.builder(dataSource)
              .listener("OrderPlaced", order -> handled.countDown())
              .start();
      // endregion

      assertHandled(outbox, handled);
      assertComplete(database);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"POSTGRES_NEWEST", "POSTGRES_OLDEST", "H2"})
  void liquibaseCreatesTheTables(Product product) throws Exception {
    try (TestDatabase database = TestDatabase.create(product)) {
      SchemaScript scripts = SchemaScript.of(dialect(database));
      write("changelog.yaml", changelog());
      write("outbox.sql", scripts.outbox() + "\n" + scripts.joins("outbox_join"));
      write("outbox-routines.sql", product.isH2() ? "" : scripts.routines("outbox_join"));

      liquibase(database);
      liquibase(database);

      CountDownLatch handled = new CountDownLatch(1);
      JdbcOutbox outbox =
          JdbcOutbox.builder(database.dataSource())
              .listener("OrderPlaced", order -> handled.countDown())
              .start();
      assertHandled(outbox, handled);
      assertComplete(database);
    }
  }

  /**
   * By default, Flyway's lock on PostgreSQL is an open transaction, for which the concurrent
   * indexes would wait forever.
   */
  @Test
  @Timeout(120)
  void flywayUpgradesATableOfVersion1() throws Exception {
    try (TestDatabase database = TestDatabase.create(Product.POSTGRES_NEWEST)) {
      SchemaScript scripts = SchemaScript.of(SqlDialect.POSTGRESQL);
      write("V1__framework.sql", version1());
      write("V2__upgrade.sql", scripts.upgrade(1));
      write("V2__upgrade.sql.conf", "executeInTransaction=false");
      write("V3__finalize.sql", scripts.finalizeUpgrade());
      write("V3__finalize.sql.conf", "executeInTransaction=false");

      Flyway.configure()
          .configuration(Map.of("flyway.postgresql.transactional.lock", "false"))
          .dataSource(database.dataSource())
          .locations("filesystem:" + directory)
          .load()
          .migrate();

      SchemaStatus status = OutboxSchema.of(database.dataSource()).check();
      assertThat(status.isUsable()).isTrue();
      assertThat(status.finalized()).isTrue();
    }
  }

  private static String version1() throws IOException {
    Path file =
        Path.of("src/main/resources/outbox/jdbc/schema/postgresql/upgrade/V1__framework.sql");
    return Files.readString(file)
        .replace("{table}", "outbox_event")
        .replace("{status_index}", "idx_status_available");
  }

  private void liquibase(TestDatabase database) throws Exception {
    try (Connection connection = database.connect();
        Liquibase liquibase =
            new Liquibase(
                "changelog.yaml",
                new DirectoryResourceAccessor(directory),
                new JdbcConnection(connection))) {
      liquibase.update();
    }
  }

  private static String changelog() {
    Matcher block = CHANGELOG.matcher(Page.of("docs/schema.md").text());
    assertThat(block.find()).as("docs/schema.md shows a changelog").isTrue();
    return block.group(1);
  }

  private static void assertHandled(JdbcOutbox outbox, CountDownLatch handled) throws Exception {
    try (outbox) {
      outbox.inTransaction(connection -> outbox.publish(EventEnvelope.ofJson("OrderPlaced", "{}")));
      assertThat(handled.await(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  /** With the routines as this library has them, although a tool has read and sent them. */
  private static void assertComplete(TestDatabase database) {
    OutboxSchema schema = OutboxSchema.of(database.dataSource()).withJoins();
    SchemaStatus status = (database.product().isH2() ? schema : schema.withRoutines()).check();
    assertThat(status.describe())
        .isEqualTo("table outbox_event has schema version " + SchemaVersion.CURRENT);
  }

  private static SqlDialect dialect(TestDatabase database) throws Exception {
    try (Connection connection = database.dataSource().getConnection()) {
      return SqlDialect.of(connection);
    }
  }

  private void write(String name, String text) throws IOException {
    Files.writeString(directory.resolve(name), text);
  }
}
