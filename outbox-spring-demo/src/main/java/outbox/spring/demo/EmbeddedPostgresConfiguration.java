package outbox.spring.demo;

import com.zaxxer.hikari.HikariDataSource;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;

/** A PostgreSQL that comes and goes with the application. */
@Configuration(proxyBeanMethods = false)
@Profile("postgres")
class EmbeddedPostgresConfiguration {

  /** Without a shutdown hook of its own, which would stop it while the application still drains. */
  @Bean(destroyMethod = "close")
  EmbeddedPostgres postgres() throws IOException {
    return EmbeddedPostgres.builder().setRegisterShutdownHook(false).start();
  }

  @Bean
  HikariDataSource dataSource(EmbeddedPostgres postgres) {
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl(postgres.getJdbcUrl("postgres", "postgres"));
    return pool;
  }
}
