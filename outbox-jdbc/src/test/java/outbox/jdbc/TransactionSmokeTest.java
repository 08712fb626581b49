package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.h2.jdbc.JdbcConnection;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import outbox.jdbc.JdbcTransactionManager.Transaction;

class TransactionSmokeTest {
  private final List<String> log = new ArrayList<>();
  private final ThreadLocalTxContext context = new ThreadLocalTxContext();
  private final JdbcTransactionManager manager =
      new JdbcTransactionManager(new DataSourceConnectionProvider(dataSource()), context);

  private static JdbcDataSource dataSource() {
    JdbcDataSource ds = new JdbcDataSource();
    ds.setURL("jdbc:h2:mem:tx;DB_CLOSE_DELAY=-1");
    return ds;
  }

  private void register(String name) {
    context.afterCommit(() -> log.add("commit " + name + context.isTransactionActive()));
    context.afterRollback(() -> log.add("rollback " + name));
  }

  @Test
  void savepointsAndCallbacks() throws Exception {
    try (Transaction tx = manager.begin()) {
      Connection c = tx.connection();
      assertThat(context.currentConnection()).isSameAs(c);
      register("a");
      context.afterCommit(
          () -> {
            throw new IllegalStateException("expected");
          });
      Savepoint one = c.setSavepoint();
      register("b");
      Savepoint two = c.setSavepoint("two");
      register("c");
      c.releaseSavepoint(two);
      c.rollback(one);
      assertThat(log).containsExactly("rollback b", "rollback c");
      register("d");
      assertThatThrownBy(c::commit).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(c::rollback).hasMessageContaining("Transaction.commit()");
      assertThatThrownBy(c::close).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> c.setAutoCommit(true)).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(manager::begin).isInstanceOf(IllegalStateException.class);
      assertThat(c.unwrap(JdbcConnection.class)).isNotNull();
      assertThat(c.isWrapperFor(JdbcConnection.class)).isTrue();
      assertThatThrownBy(
              () -> {
                try (Statement s = c.createStatement()) {
                  s.execute("nonsense");
                }
              })
          .isInstanceOf(SQLException.class);
      assertThatThrownBy(() -> c.prepareStatement("nonsense")).isInstanceOf(SQLException.class);
      tx.commit();
      assertThatThrownBy(tx::commit).isInstanceOf(IllegalStateException.class);
    }
    assertThat(log).containsExactly("rollback b", "rollback c", "commit afalse", "commit dfalse");
    assertThat(context.isTransactionActive()).isFalse();
    log.clear();
    assertThatThrownBy(
            () ->
                manager.run(
                    c -> {
                      register("x");
                      throw new SQLException("own");
                    }))
        .isInstanceOf(SQLException.class);
    assertThat(log).containsExactly("rollback x");
    manager.run(c -> register("y"));
    assertThat(log).containsExactly("rollback x", "commit yfalse");
  }
}
