package outbox.cli;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** Where the database is and who asks; a password is never an argument, which others could see. */
final class DatabaseOptions {
  @Option(names = "--url", required = true, description = "JDBC URL of the database")
  String url = "";

  @Option(names = "--user", description = "user of the database")
  @Nullable String user;

  @ArgGroup @Nullable Password password;

  /** One of the two. */
  static final class Password {
    @Option(names = "--password-env", description = "variable of the environment that holds it")
    @Nullable String variable;

    @Option(names = "--password-file", description = "file that holds it in its first line")
    @Nullable Path file;
  }

  DataSource dataSource() {
    Properties properties = new Properties();
    if (user != null) {
      properties.setProperty("user", user);
    }
    if (password != null) {
      properties.setProperty("password", read(password));
    }
    return new DriverDataSource(url, properties);
  }

  /** What must not be shown. */
  List<String> secrets() {
    List<String> secrets = new ArrayList<>(Secrets.in(url));
    if (password != null) {
      try {
        secrets.add(read(password));
      } catch (WrongCallException e) {
        return secrets;
      }
    }
    return secrets;
  }

  private String read(Password source) {
    if (source.variable != null) {
      String value = System.getenv(source.variable);
      if (value == null) {
        throw new WrongCallException("--password-env: variable " + source.variable + " is not set");
      }
      return value;
    }
    try {
      return Files.readString(requireNonNull(source.file)).lines().findFirst().orElse("");
    } catch (IOException e) {
      throw new WrongCallException("--password-file: " + source.file + " cannot be read");
    }
  }
}
