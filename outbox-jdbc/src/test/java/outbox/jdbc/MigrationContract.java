package outbox.jdbc;

import static java.util.Objects.requireNonNull;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;
import outbox.jdbc.db.TestDatabase;

/** What bringing a table of version 1 here does; subclasses say {@link On} which database. */
abstract class MigrationContract
    implements UpgradeRules, FinalizationRules, SchemaCheckRules, SameSchemaRules {
  @SuppressWarnings("NullAway.Init")
  private TestDatabase database;

  @BeforeEach
  void create(TestInfo test) {
    On on = requireNonNull(test.getTestClass().orElseThrow().getAnnotation(On.class));
    database = TestDatabase.create(on.value());
  }

  @AfterEach
  void drop() {
    if (database != null) {
      database.close();
    }
  }

  @Override
  public TestDatabase database() {
    return database;
  }
}
