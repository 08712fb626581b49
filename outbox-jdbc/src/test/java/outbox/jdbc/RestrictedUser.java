package outbox.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import outbox.jdbc.db.TestDatabase;

/** A user of PostgreSQL with the rights that the schema's page says an application needs. */
final class RestrictedUser implements AutoCloseable {
  private static final Path PAGE = Path.of("..", "docs", "schema.md");
  private static final Pattern GRANTS =
      Pattern.compile(
          "(?ms)^```sql\\n(CREATE ROLE shop_app .*?)^```$.*?^```sql\\n(GRANT EXECUTE .*?)^```$");

  private final TestDatabase owner;
  private final String role;
  private final TestDatabase database;

  /** Creates the user in a database whose schema is deployed. */
  RestrictedUser(TestDatabase owner) {
    this.owner = owner;
    this.role = owner.name() + "_app";
    owner.execute(grants().replace("shop_app", role));
    this.database = owner.as(role);
  }

  /** The owner's database, entered as this user. */
  TestDatabase database() {
    return database;
  }

  @Override
  public void close() {
    database.close();
    owner.execute("DROP OWNED BY " + role, "DROP ROLE " + role);
  }

  private static String grants() {
    try {
      Matcher block = GRANTS.matcher(Files.readString(PAGE));
      if (!block.find()) {
        throw new IllegalStateException("docs/schema.md no longer shows the grants");
      }
      return block.group(1) + block.group(2);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
