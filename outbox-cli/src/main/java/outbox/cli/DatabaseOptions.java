package outbox.cli;

import static java.util.Objects.requireNonNull;

import java.nio.file.Path;
import java.util.Properties;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** Where the database is and who asks; a password is never an argument, which others could see. */
final class DatabaseOptions {
  @Option(
      names = "--url",
      defaultValue = "${env:OUTBOX_URL}",
      description = "JDBC URL of the database; variable OUTBOX_URL by default")
  String url = "";

  @Option(
      names = "--user",
      defaultValue = "${env:OUTBOX_USER}",
      description = "user of the database; variable OUTBOX_USER by default")
  @Nullable String user;

  @ArgGroup @Nullable Password password;

  /** Whether a database may come into being, which H2 does at any URL. */
  boolean creates;

  private @Nullable Terminal terminal;
  private @Nullable DataSource dataSource;

  /** One of the three; variable OUTBOX_PASSWORD if none is given. */
  static final class Password {
    @Option(
        names = "--password-env",
        description = "variable that holds the password; OUTBOX_PASSWORD by default")
    @Nullable String variable;

    @Option(
        names = "--password-file",
        description = "file that holds the password in its first line")
    @Nullable Path file;

    @Option(names = "--password-prompt", description = "ask for the password")
    boolean prompt;
  }

  /** Where a password can be asked for. */
  void askAt(Terminal value) {
    this.terminal = value;
  }

  /** Returns one data source for all calls, so that the user is asked for a password once. */
  DataSource dataSource() {
    if (dataSource == null) {
      requireUrl(url);
      Properties properties = new Properties();
      if (user != null) {
        properties.setProperty("user", user);
      }
      String secret = password == null ? System.getenv(Passwords.VARIABLE) : read(password);
      if (secret != null) {
        properties.setProperty("password", secret);
      }
      Secrets.remember(url, secret);
      dataSource = new DriverDataSource(creates ? url : H2Files.existing(url), properties);
    }
    return dataSource;
  }

  /** Not left to the parser, which would not come to what is misspelt instead. */
  static void requireUrl(String url) {
    if (url.isBlank()) {
      throw new WrongCallException(
          "--url is missing: give the JDBC URL of the database, or set the variable OUTBOX_URL");
    }
  }

  /** The URL without its parameters, as a name for people. */
  String shownUrl() {
    return shown(url);
  }

  /** Hides first: a password may hold what begins the parameters. */
  static String shown(String url) {
    return Secrets.hidden(url).replaceFirst("[?;].*", "");
  }

  private String read(Password source) {
    if (source.prompt) {
      return ask();
    }
    return source.variable != null
        ? Passwords.ofVariable("--password-env", source.variable)
        : Passwords.ofFile("--password-file", requireNonNull(source.file));
  }

  private String ask() {
    String prompt = "password for " + shownUrl() + ": ";
    String answer = terminal == null ? null : terminal.secret(prompt);
    if (answer == null) {
      throw new WrongCallException(
          "--password-prompt needs a terminal, and there is none; use --password-env or"
              + " --password-file");
    }
    return answer;
  }
}
