package outbox.admin;

import java.lang.reflect.Proxy;
import java.time.Duration;
import javax.sql.DataSource;
import outbox.admin.data.OperatedDatabase;
import outbox.jdbc.db.TestDatabase;

/** A database that lets everybody wait who asks it for a connection. */
final class LateDatabase {
  private LateDatabase() {}

  static OperatedDatabase of(String name, TestDatabase database, Duration timeLimit, Wait wait) {
    DataSource dataSource =
        (DataSource)
            Proxy.newProxyInstance(
                DataSource.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, arguments) -> {
                  wait.forIt();
                  return database.dataSource().getConnection();
                });
    return OperatedDatabase.builder(name, dataSource).timeLimit(timeLimit).build();
  }

  /** What each connection takes. */
  interface Wait {
    void forIt() throws InterruptedException;
  }
}
