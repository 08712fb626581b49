package outbox.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import outbox.contracts.support.Spec;

/** A commit that the database refuses: the constraint is checked at the end. */
class FailedCommitTest {
  private final List<String> ran = new ArrayList<>();

  @Test
  @Spec({"FRM-18", "FRM-23"})
  void whatWaitsForTheCommitDoesNotRun() {
    try (HikariDataSource pool = TestDatabases.postgres()) {
      JdbcTemplate jdbc = new JdbcTemplate(pool);
      jdbc.execute("CREATE TABLE parent (id int PRIMARY KEY)");
      jdbc.execute("CREATE TABLE child (id int REFERENCES parent DEFERRABLE INITIALLY DEFERRED)");
      SpringTxContext context = new SpringTxContext(pool);
      TransactionTemplate transaction =
          new TransactionTemplate(new DataSourceTransactionManager(pool));

      assertThatThrownBy(
              () ->
                  transaction.executeWithoutResult(
                      status -> {
                        context.afterCommit(() -> ran.add("commit"));
                        context.afterRollback(() -> ran.add("rollback"));
                        jdbc.update("INSERT INTO child VALUES (7)");
                      }))
          .hasRootCauseInstanceOf(SQLException.class);

      assertThat(ran).containsExactly("rollback");
      assertThat(context.isTransactionActive()).isFalse();
    }
  }
}
