package outbox.chaos.scenario;

import com.zaxxer.hikari.HikariDataSource;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.schema.OutboxSchema;

/** A process that migrates slowly, and says how far it is, until it is killed. */
final class MigrationMain {
  static final String HALF_WAY = "half way";

  private MigrationMain() {}

  public static void main(String[] arguments) {
    int rows = Integer.parseInt(arguments[1]);
    try (HikariDataSource pool = TestDatabase.pool(arguments[0])) {
      OutboxSchema.of(pool)
          .allowLocking()
          .backfillRate(Math.max(1, rows / 10))
          .migrate(
              progress -> {
                if (progress.rows() > rows / 3) {
                  System.out.println(HALF_WAY);
                }
              });
    }
  }
}
