package outbox.demo;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import javax.sql.DataSource;
import org.h2.engine.Constants;
import org.h2.jdbcx.JdbcDataSource;

/** H2 in the memory of this process. */
final class H2Database implements Database {
  private static final int POOL_SIZE = 12;

  private final String url =
      "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=10000";
  private final JdbcDataSource unpooled = new JdbcDataSource();
  private final HikariDataSource pool = Pools.open(url, POOL_SIZE);

  H2Database() {
    unpooled.setURL(url);
  }

  @Override
  public String name() {
    return "H2 " + Constants.VERSION + ", in memory";
  }

  @Override
  public DataSource dataSource() {
    return pool;
  }

  @Override
  public SecondNode startSecondNode(int orders, DoomedNode.Witness witness) {
    return NodeThread.start(unpooled, orders, witness);
  }

  /** The database goes with its last connection; the delay only keeps it until here. */
  @Override
  public void close() {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("SET DB_CLOSE_DELAY 0");
    } catch (SQLException e) {
      throw new IllegalStateException("H2 does not close: " + e.getMessage(), e);
    }
    pool.close();
  }
}
