package outbox.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import outbox.cli.ServedDatabase.Login;
import picocli.CommandLine.Option;

/** Which databases, each by a name; what is given without a name holds for all of them. */
final class ServedOptions {
  private static final Pattern PREFIX = Pattern.compile("([A-Za-z0-9][A-Za-z0-9._-]*)=");
  private static final Pattern NAMED = Pattern.compile("([A-Za-z0-9][A-Za-z0-9._-]*)=(jdbc:.*)");
  private static final Pattern LAST_PART = Pattern.compile("([A-Za-z0-9][A-Za-z0-9._-]*)$");

  @Option(
      names = "--url",
      paramLabel = "[NAME=]URL",
      defaultValue = "${env:OUTBOX_URL}",
      description = "JDBC URL of a database; may be given several times (OUTBOX_URL by default)")
  List<String> urls = new ArrayList<>();

  @Option(
      names = "--user",
      paramLabel = "[NAME=]USER",
      defaultValue = "${env:OUTBOX_USER}",
      description = "user of the databases, or of the one of this name (OUTBOX_USER by default)")
  List<String> users = new ArrayList<>();

  @Option(
      names = "--password-env",
      paramLabel = "[NAME=]VARIABLE",
      description = "variable that holds the password (OUTBOX_PASSWORD by default)")
  List<String> variables = new ArrayList<>();

  @Option(
      names = "--password-file",
      paramLabel = "[NAME=]FILE",
      description = "file that holds the password in its first line")
  List<String> files = new ArrayList<>();

  Map<String, Login> logins() {
    Map<String, String> named = new LinkedHashMap<>();
    DatabaseOptions.requireUrl(String.join("", urls));
    for (String url : urls) {
      Matcher matcher = NAMED.matcher(url);
      boolean hasName = matcher.matches();
      String name = hasName ? matcher.group(1) : nameOf(url);
      if (named.put(name, hasName ? matcher.group(2) : url) != null) {
        throw new WrongCallException(
            "--url: two databases are called " + name + "; name them: --url NAME=jdbc:…");
      }
    }
    requireKnown("--user", users, named.keySet());
    requireKnown("--password-env", variables, named.keySet());
    requireKnown("--password-file", files, named.keySet());
    Map<String, Login> logins = new LinkedHashMap<>();
    named.forEach(
        (name, url) ->
            logins.put(
                name,
                new Login(H2Files.existing(url), find(users, name, named), password(name, named))));
    logins.values().forEach(login -> Secrets.remember(login.url(), login.password()));
    return logins;
  }

  /** A lone database without a name has a user that may contain anything. */
  private void requireKnown(String option, List<String> given, Set<String> names) {
    if (urls.size() == 1 && !NAMED.matcher(urls.get(0)).matches()) {
      return;
    }
    for (String value : given) {
      Matcher prefix = PREFIX.matcher(value);
      if (prefix.lookingAt() && !names.contains(prefix.group(1))) {
        throw new WrongCallException(
            option
                + " ("
                + value
                + "): no database is called "
                + prefix.group(1)
                + "; there is "
                + String.join(", ", names));
      }
    }
  }

  private static String nameOf(String url) {
    Matcher last = LAST_PART.matcher(DatabaseOptions.shown(url));
    return last.find() ? last.group(1) : "outbox";
  }

  private @Nullable String password(String name, Map<String, String> all) {
    String variable = find(variables, name, all);
    String file = find(files, name, all);
    if (variable != null && file != null) {
      throw new WrongCallException(
          "--password-env and --password-file exclude each other for " + name);
    }
    if (variable != null) {
      return Passwords.ofVariable("--password-env", variable);
    }
    return file != null
        ? Passwords.ofFile("--password-file", Path.of(file))
        : System.getenv(Passwords.VARIABLE);
  }

  /** What was given for this name, else what was given without one. */
  private static @Nullable String find(List<String> given, String name, Map<String, String> all) {
    String forAll = null;
    for (String value : given) {
      int end = value.indexOf('=');
      if (end > 0 && all.containsKey(value.substring(0, end))) {
        if (value.substring(0, end).equals(name)) {
          return value.substring(end + 1);
        }
      } else {
        forAll = value;
      }
    }
    return forAll;
  }
}
