package outbox.jdbc;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import outbox.spi.ConnectionProvider;

/** Takes every connection from a {@link DataSource}. As thread-safe as the data source. */
public final class DataSourceConnectionProvider implements ConnectionProvider {
  private final DataSource dataSource;

  public DataSourceConnectionProvider(DataSource dataSource) {
    this.dataSource = requireNonNull(dataSource, "dataSource");
  }

  @Override
  public Connection getConnection() throws SQLException {
    return dataSource.getConnection();
  }
}
