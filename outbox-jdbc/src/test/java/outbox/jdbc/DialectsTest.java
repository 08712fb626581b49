package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DialectsTest {

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
