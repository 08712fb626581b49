package outbox.cli;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Where the database is and who asks; a password is never an argument, which others could see. */
final class DatabaseOptions {
  private static final String PASSWORD_VARIABLE = "OUTBOX_PASSWORD";

  @Option(
      names = "--url",
      required = true,
      defaultValue = "${env:OUTBOX_URL}",
      description = "JDBC URL of the database; variable OUTBOX_URL by default")
  String url = "";

  @Option(
      names = "--user",
      defaultValue = "${env:OUTBOX_USER}",
      description = "user of the database; variable OUTBOX_USER by default")
  @Nullable String user;

  @ArgGroup @Nullable Password password;

  @Spec(Spec.Target.MIXEE)
  @Nullable CommandSpec command;

  private @Nullable DataSource dataSource;

  /** One of the three; variable OUTBOX_PASSWORD if none is given. */
  static final class Password {
    @Option(
        names = "--password-env",
        description = "variable of the environment that holds it; OUTBOX_PASSWORD by default")
    @Nullable String variable;

    @Option(names = "--password-file", description = "file that holds it in its first line")
    @Nullable Path file;

    @Option(names = "--password-prompt", description = "ask for it")
    boolean prompt;
  }

  /** The same one each time: nobody is asked twice. */
  DataSource dataSource() {
    if (dataSource == null) {
      Properties properties = new Properties();
      if (user != null) {
        properties.setProperty("user", user);
      }
      String secret = password == null ? System.getenv(PASSWORD_VARIABLE) : read(password);
      if (secret != null) {
        properties.setProperty("password", secret);
      }
      dataSource = new DriverDataSource(url, properties);
    }
    return dataSource;
  }

  /** The URL without its parameters, as a name for people. */
  String shownUrl() {
    return Secrets.hidden(url.replaceFirst("[?;].*", ""));
  }

  private String read(Password source) {
    if (source.prompt) {
      return ask();
    }
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

  private String ask() {
    String prompt = "password for " + shownUrl() + ": ";
    String answer = Main.of(requireNonNull(command)).terminal().secret(prompt);
    if (answer == null) {
      throw new WrongCallException(
          "--password-prompt: there is no terminal to ask at; use --password-env or"
              + " --password-file");
    }
    return answer;
  }
}
