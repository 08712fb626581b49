package outbox.jdbc.db;

import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.util.Properties;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Databases in this JVM's memory, kept until they are dropped. The newest H2 is on the class path;
 * each other version comes from a jar of its own, by a class loader of its own, and has URLs of its
 * own: {@code jdbc:h2-oldest:}.
 */
final class H2Server implements Server {
  private static final String H2 = "jdbc:h2:";

  private final String prefix;

  private H2Server(String prefix) {
    this.prefix = prefix;
  }

  static H2Server newest() {
    return new H2Server(H2);
  }

  static H2Server oldest() {
    return Oldest.INSTANCE;
  }

  /** The version that Spring Boot manages. */
  static H2Server springBoot() {
    return SpringBoot.INSTANCE;
  }

  @Override
  public String createDatabase(String name) {
    return prefix + "mem:" + name + ";DB_CLOSE_DELAY=-1";
  }

  @Override
  public void dropDatabase(String name) {
    try (Connection connection = DriverManager.getConnection(prefix + "mem:" + name)) {
      connection.createStatement().execute("SHUTDOWN");
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static H2Server inJar(String version) {
    Path jar = Path.of("..", "outbox-jdbc", "target", "h2-" + version + ".jar");
    if (!Files.exists(jar)) {
      throw new IllegalStateException(jar + " is missing; the build of outbox-jdbc copies it");
    }
    try {
      String prefix = "jdbc:h2-" + version + ":";
      DriverManager.registerDriver(new OtherDriver(prefix, load(jar)));
      return new H2Server(prefix);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Driver load(Path jar) {
    try {
      ClassLoader loader =
          new URLClassLoader(new URL[] {jar.toUri().toURL()}, ClassLoader.getPlatformClassLoader());
      return (Driver) loader.loadClass("org.h2.Driver").getDeclaredConstructor().newInstance();
    } catch (MalformedURLException | ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The driver of another version, under a prefix that tells it from the others. */
  private record OtherDriver(String prefix, Driver driver) implements Driver {
    @Override
    public @Nullable Connection connect(String url, Properties info) throws SQLException {
      return acceptsURL(url) ? driver.connect(original(url), info) : null;
    }

    @Override
    public boolean acceptsURL(String url) {
      return url.startsWith(prefix);
    }

    @Override
    public DriverPropertyInfo[] getPropertyInfo(String url, Properties info) throws SQLException {
      return driver.getPropertyInfo(original(url), info);
    }

    @Override
    public int getMajorVersion() {
      return driver.getMajorVersion();
    }

    @Override
    public int getMinorVersion() {
      return driver.getMinorVersion();
    }

    @Override
    public boolean jdbcCompliant() {
      return driver.jdbcCompliant();
    }

    @Override
    public Logger getParentLogger() {
      return Logger.getGlobal();
    }

    private String original(String url) {
      return H2 + url.substring(prefix.length());
    }
  }

  private static final class Oldest {
    private static final H2Server INSTANCE = inJar("oldest");
  }

  private static final class SpringBoot {
    private static final H2Server INSTANCE = inJar("spring-boot");
  }
}
