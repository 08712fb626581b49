package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import outbox.testing.Spec;

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
    "Microsoft SQL Server, 40001, 1205"
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
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("Oracle 23ai is not supported")
        .hasMessageContaining("PostgreSQL")
        .hasMessageContaining("MariaDB")
        .hasMessageContaining("H2");
  }
}
