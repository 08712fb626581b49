package outbox.demo;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;

/** Connection pools as an application would set them up. */
final class Pools {
  private Pools() {}

  static HikariDataSource open(String url, int size) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setMaximumPoolSize(size);
    return new HikariDataSource(config);
  }
}
