package outbox.admin.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;

class LimitedConnectionsTest {

  @Test
  void aConnectionIsClosedEvenIfItIsOfNoUseAnyMore() throws SQLException {
    JdbcDataSource h2 = new JdbcDataSource();
    h2.setUrl("jdbc:h2:mem:");
    try (Connection real = h2.getConnection()) {
      Connection limited =
          new LimitedConnections(lending(broken(real)), Duration.ofSeconds(1)).getConnection();

      assertThatExceptionOfType(SQLException.class).isThrownBy(limited::close);

      assertThat(real.isClosed()).isTrue();
    }
  }

  private static Connection broken(Connection real) {
    return proxy(
        Connection.class,
        (proxy, method, arguments) -> {
          if (method.getName().equals("createStatement")) {
            throw new SQLException("broken");
          }
          return method.invoke(real, arguments);
        });
  }

  private static DataSource lending(Connection connection) {
    return proxy(DataSource.class, (proxy, method, arguments) -> connection);
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(
        Proxy.newProxyInstance(
            LimitedConnectionsTest.class.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
