package outbox.jdbc.internal.dialect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import outbox.contracts.support.Spec;
import outbox.spi.UnsupportedDatabaseException;

class DialectsTest {

  @ParameterizedTest
  @CsvSource({
    "PostgreSQL, 40001, 0",
    "PostgreSQL, 40P01, 0",
    "MariaDB, 40001, 1213",
    "MariaDB, HY000, 1205",
    "MariaDB, HY000, 1020",
    "MySQL, 40001, 1213",
    "MySQL, HY000, 1205",
    "H2, 40001, 40001",
    "H2, HYT00, 90131",
    "H2, HYT00, 50200",
    "Microsoft SQL Server, 40001, 1205",
    "Microsoft SQL Server, HY000, 3960"
  })
  @Spec("OBX-093")
  void knowsTheDeadlocksAndSerializationFailures(String product, String state, int code) {
    Dialect dialect = Dialects.of(product, "1");

    assertThat(dialect.isTransient(new SQLException("deadlock", state, code))).isTrue();
    assertThat(dialect.isTransient(new SQLException("duplicate key", "23505", 1062))).isFalse();
    assertThat(dialect.isTransient(new SQLException("an error without a state"))).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "PostgreSQL, 23505, 0",
    "MariaDB, 23000, 1062",
    "MySQL, 23000, 1062",
    "H2, 23505, 23505",
    "Microsoft SQL Server, 23000, 2601",
    "Microsoft SQL Server, 23000, 2627"
  })
  void knowsARowThatWasRefusedForItsKey(String product, String state, int code) {
    Dialect dialect = Dialects.of(product, "1");

    assertThat(dialect.isDuplicate(new SQLException("duplicate", state, code))).isTrue();
    assertThat(dialect.isDuplicate(new SQLException("not null", "23502", 1048))).isFalse();
    assertThat(dialect.isDuplicate(new SQLException("an error without a state"))).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "PostgreSQL, 55P03, 0, true",
    "MariaDB, HY000, 1205, true",
    "MySQL, HY000, 1205, true",
    "MySQL, HY000, 3572, true",
    "Microsoft SQL Server, HY000, 1222, true",
    "PostgreSQL, 40P01, 0, false",
    "MariaDB, 40001, 1213, false",
    "MySQL, 40001, 1213, false",
    "H2, HYT00, 50200, false",
    "Microsoft SQL Server, 40001, 1205, false"
  })
  void knowsALockThatDidNotComeInTime(String product, String state, int code, boolean late) {
    Dialect dialect = Dialects.of(product, "1");

    assertThat(dialect.isLockTimeout(new SQLException("lock", state, code))).isEqualTo(late);
  }

  @ParameterizedTest
  @CsvSource({
    "MySQL, 1060, true",
    "MySQL, 1061, true",
    "MySQL, 1091, true",
    "MySQL, 3822, true",
    "MySQL, 1064, false",
    "MariaDB, 1060, false",
    "PostgreSQL, 1060, false"
  })
  void whereScriptsCannotSayIfNotExistsWhatIsDoneAlreadyIsKnown(
      String product, int code, boolean done) {
    Dialect dialect = Dialects.of(product, "1");

    assertThat(dialect.isDoneAlready(new SQLException("done", "HY000", code))).isEqualTo(done);
  }

  @ParameterizedTest
  @CsvSource({
    "PostgreSQL, CREATE INDEX i ON t (a), CREATE INDEX CONCURRENTLY i ON t (a)",
    "PostgreSQL, CREATE UNIQUE INDEX i ON t (a), CREATE UNIQUE INDEX CONCURRENTLY i ON t (a)",
    "PostgreSQL, DROP INDEX i, DROP INDEX CONCURRENTLY i",
    "PostgreSQL, ALTER TABLE t ADD i INT, ALTER TABLE t ADD i INT",
    "MariaDB, CREATE INDEX i ON t (a), CREATE INDEX i ON t (a)"
  })
  void indexesAreBuiltAsideWhereThatIsPossible(String product, String sql, String online) {
    assertThat(Dialects.of(product, "1").online(sql)).isEqualTo(online);
  }

  @Test
  void whatKeepsWritersOutTakesTheWholeTableOnMariaDb() {
    Dialect dialect = Dialects.of("MariaDB", "11.4");
    TableName table = TableName.of("t");

    assertThat(dialect.tableLocks("ALTER TABLE t ADD i INT, LOCK = SHARED", table))
        .containsExactly("LOCK TABLES t WRITE");
    assertThat(dialect.tableLocks("ALTER TABLE t ADD i INT, LOCK = NONE", table)).isEmpty();
    assertThat(dialect.tableUnlock()).containsExactly("UNLOCK TABLES");
  }

  @ParameterizedTest
  @CsvSource({
    "PostgreSQL, 1000",
    "MariaDB, 500",
    "MySQL, 500",
    "H2, 500",
    "Microsoft SQL Server, 115"
  })
  void oneStatementInsertsAsManyEventsAsItHasParametersFor(String product, int rows) {
    assertThat(Dialects.of(product, "1").maxRows()).isEqualTo(rows);
  }

  @ParameterizedTest
  @CsvSource({
    "PostgreSQL, 18.6, PostgresDialect",
    "MariaDB, 11.4.5-MariaDB-log, MariaDbDialect",
    "MySQL, 5.5.5-10.11.6-MariaDB, MariaDbDialect",
    "MySQL, 8.4.3, MySqlDialect",
    "H2, 2.5.252 (2026-01-01), H2Dialect",
    "Microsoft SQL Server, 16.00.1000, SqlServerDialect"
  })
  void productIsRecognisedByWhatItsDriverSays(String product, String version, String dialect) {
    assertThat(Dialects.of(product, version).getClass().getSimpleName()).isEqualTo(dialect);
  }

  @ParameterizedTest
  @CsvSource({
    "PostgreSQL, 14.20 (Debian 14.20-1), true",
    "PostgreSQL, 9.6.24, true",
    "PostgreSQL, 15.0, false",
    "PostgreSQL, 15, false",
    "PostgreSQL, 18.6, false",
    "PostgreSQL, 19beta1, false",
    "MariaDB, 10.5.29-MariaDB, true",
    "MariaDB, 5.5.68-MariaDB, true",
    "MariaDB, 10.6.0-MariaDB, false",
    "MariaDB, 10.11.6-MariaDB-log, false",
    "MySQL, 5.5.5-10.5.29-MariaDB, true",
    "MySQL, 5.5.5-10.11.6-MariaDB, false",
    "MySQL, 5.7.44, true",
    "MySQL, 8.0.11, false",
    "MySQL, 9.7.4, false",
    "H2, 1.4.200 (2019-10-14), true",
    "H2, 2.2.224 (2023-09-17), true",
    "H2, 2.3.230 (2024-07-15), false",
    "H2, 2.10.1 (2030-01-01), false",
    "Microsoft SQL Server, 12.00.6024, true",
    "Microsoft SQL Server, 13.00.1601, false",
    "Microsoft SQL Server, 16.00.1000, false",
    "PostgreSQL, devel, false"
  })
  void knowsAServerThatIsOlderThanTheOldestSupported(String product, String given, boolean older) {
    ServerVersion oldest = ServerVersion.of(Dialects.of(product, given).oldestVersion());

    assertThat(ServerVersion.of(given).isOlderThan(oldest)).isEqualTo(older);
  }

  @Test
  void unknownProductIsRefusedWithTheSupportedOnes() {
    assertThatThrownBy(() -> Dialects.of("Oracle", "23ai"))
        .isInstanceOfSatisfying(
            UnsupportedDatabaseException.class,
            refused -> {
              assertThat(refused.product()).isEqualTo("Oracle");
              assertThat(refused.version()).isEqualTo("23ai");
              assertThat(refused.supported())
                  .containsExactly("PostgreSQL", "MariaDB", "MySQL", "H2", "Microsoft SQL Server");
            })
        .hasMessageContaining("Oracle 23ai is not supported")
        .hasMessageContaining("PostgreSQL")
        .hasMessageContaining("MariaDB")
        .hasMessageContaining("H2");
  }
}
