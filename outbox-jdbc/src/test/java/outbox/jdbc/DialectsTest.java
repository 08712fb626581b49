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
