package outbox.jdbc.internal.tx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.internal.dialect.H2Dialect;

class OwnTransactionTest {

  @Test
  void whatWentWrongIsNotHiddenByALevelThatCannotBeSetBack() throws SQLException {
    try (TestDatabase database = TestDatabase.create(Product.H2);
        Connection real = database.dataSource().getConnection()) {
      real.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
      Connection connection = settingItsLevelOnce(real);

      assertThatThrownBy(
              () ->
                  OwnTransaction.of(
                      connection,
                      new H2Dialect(),
                      () -> {
                        throw new IllegalStateException("the cause");
                      }))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("the cause")
          .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));
    }
  }

  private static Connection settingItsLevelOnce(Connection real) {
    AtomicInteger set = new AtomicInteger();
    return (Connection)
        Proxy.newProxyInstance(
            Connection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("setTransactionIsolation") && set.getAndIncrement() > 0) {
                throw new SQLException("broken");
              }
              try {
                return method.invoke(real, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
