package outbox.jdbc;

import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;

@org.jspecify.annotations.NullUnmarked
class H2SmokeTest extends StoreSmoke {
  @Override
  DataSource dataSource() {
    JdbcDataSource ds = new JdbcDataSource();
    ds.setURL("jdbc:h2:mem:smoke;DB_CLOSE_DELAY=-1");
    return ds;
  }
}
