package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.internal.schema.Migration;
import outbox.jdbc.schema.OutboxSchema;

/** What keeps writers out of a large table asks before it begins. */
@Tag("slow")
class LockingMigrationTest {
  private static final int LARGE = Migration.SMALL_TABLE + 1;

  @ParameterizedTest
  @EnumSource(names = {"MARIADB", "MYSQL"})
  void finalizingALargeTableIsRefusedUntilItIsAllowed(Product product) throws SQLException {
    try (TestDatabase database = TestDatabase.create(product)) {
      createVersion1(database, LARGE);
      OutboxSchema schema = OutboxSchema.of(database.dataSource());
      schema.allowLocking().migrate(progress -> {});

      assertThatThrownBy(schema::finalizeUpgrade)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("has more than 10000 rows")
          .hasMessageContaining("keeps writers out of it during finalize.1")
          .hasMessageContaining("--allow-locking, or allowLocking()");
      assertThat(schema.check().finalized()).isFalse();

      schema.allowLocking().finalizeUpgrade();
      assertThat(schema.check().finalized()).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"MARIADB", "MYSQL"})
  void finalizingASmallTableAsksNothing(Product product) throws SQLException {
    try (TestDatabase database = TestDatabase.create(product)) {
      createVersion1(database, LARGE - 1);
      OutboxSchema schema = OutboxSchema.of(database.dataSource());

      schema.migrate(progress -> {});
      schema.finalizeUpgrade();

      assertThat(schema.check().finalized()).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"MARIADB", "MYSQL"})
  void onlyMariaDbKeepsWritersOutWhileItBuildsAnIndex(Product product) throws SQLException {
    try (TestDatabase database = TestDatabase.create(product)) {
      createVersion1(database, LARGE);
      OutboxSchema schema = OutboxSchema.of(database.dataSource());

      if (product == Product.MARIADB) {
        assertThatThrownBy(() -> schema.migrate(progress -> {}))
            .hasMessageContaining("V2.3, V3.3, V3.4, V3.5")
            .hasMessageContaining("allowLocking()");
        assertThat(schema.check().version()).isEqualTo(1);
        schema.allowLocking().migrate(progress -> {});
        schema.deploy();
      } else {
        schema.migrate(progress -> {});
      }

      assertThat(schema.check().isUsable()).isTrue();
    }
  }

  /** MySQL converts another character set by a copy only. */
  @ParameterizedTest
  @EnumSource(names = "MYSQL")
  void anotherCharacterSetIsNotConvertedUntilThatIsAllowed(Product product) throws SQLException {
    try (TestDatabase database = TestDatabase.create(product)) {
      createVersion1(database, LARGE);
      database.execute("ALTER TABLE outbox_event CONVERT TO CHARACTER SET latin1");
      OutboxSchema schema = OutboxSchema.of(database.dataSource());

      assertThatThrownBy(schema::deploy)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("during V2.1")
          .hasMessageContaining("--allow-locking");
      assertThat(TableShape.columnSizes(database.dataSource())).doesNotContainKey("payload_text");

      schema.allowLocking().deploy();
      assertThat(schema.check().isUsable()).isTrue();
    }
  }

  private static void createVersion1(TestDatabase database, int rows) {
    Version1.create(database.dataSource());
    database.execute(
        "INSERT INTO outbox_event (event_id, event_type, payload, status, available_at, created_at,"
            + " done_at) SELECT LPAD(seq, 26, '0'), 'Old', '{}', 1, '2020-01-01', '2020-01-01',"
            + " '2020-01-01' FROM JSON_TABLE(CONCAT('[', REPEAT('0,', "
            + (rows - 1)
            + "), '0]'), '$[*]' COLUMNS (seq FOR ORDINALITY)) AS numbers");
  }
}
