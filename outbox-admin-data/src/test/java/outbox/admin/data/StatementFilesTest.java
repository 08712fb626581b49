package outbox.admin.data;

import static org.assertj.core.api.Assertions.assertThat;

import com.alibaba.druid.DbType;
import com.alibaba.druid.sql.SQLUtils;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.jdbc.internal.query.BoundedQueries;

/** Every database has the same statements; those that cannot run here are at least parsed. */
class StatementFilesTest {
  private static final OperatedDatabase.Builder SETUP =
      OperatedDatabase.builder("none", new JdbcDataSource());
  private static final List<BoundedQueries.Builder> FILES =
      List.of(Tables.outboxQueries(SETUP), Tables.inboxQueries(SETUP), Tables.joinQueries(SETUP));

  @ParameterizedTest
  @ValueSource(strings = {"MariaDB", "MySQL", "H2", "Microsoft SQL Server"})
  void everyDatabaseHasTheStatementsOfTheOthers(String product) {
    for (BoundedQueries.Builder file : FILES) {
      Map<String, String> texts = file.texts(product);
      assertThat(texts.keySet()).isEqualTo(file.texts("PostgreSQL").keySet());
      assertThat(texts.values()).noneMatch(sql -> sql.matches("(?s).*(\\{|:[a-z]).*"));
    }
  }

  static Stream<String> ofSqlServer() {
    return texts("Microsoft SQL Server")
        .map(sql -> sql.replaceAll("\\s+OPTION \\(RECOMPILE\\)$", ""));
  }

  @ParameterizedTest
  @MethodSource("ofSqlServer")
  void sqlServerCouldReadIt(String sql) {
    assertThat(SQLUtils.parseStatements(sql, DbType.sqlserver)).hasSize(1);
  }

  static Stream<String> ofMySql() {
    return texts("MySQL");
  }

  @ParameterizedTest
  @MethodSource("ofMySql")
  void mySqlCouldReadIt(String sql) {
    assertThat(SQLUtils.parseStatements(sql, DbType.mysql)).hasSize(1);
  }

  private static Stream<String> texts(String product) {
    return FILES.stream().flatMap(file -> file.texts(product).values().stream());
  }
}
