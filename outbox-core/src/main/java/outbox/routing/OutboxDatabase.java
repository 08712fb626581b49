package outbox.routing;

import static java.util.Objects.requireNonNull;

import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A database as configured or discovered: an identifier and the way to connect. Two are equal if
 * both are the same, so that a discovery tells a changed database from an unchanged one; a {@code
 * DataSource} is the same only as the same object (unless it says otherwise). Immutable.
 */
public final class OutboxDatabase {
  private final String identifier;
  private final @Nullable DataSource dataSource;
  private final @Nullable String url;
  private final @Nullable String user;
  private final @Nullable String password;

  private OutboxDatabase(
      String identifier,
      @Nullable DataSource dataSource,
      @Nullable String url,
      @Nullable String user,
      @Nullable String password) {
    this.identifier = requireNonNull(identifier, "identifier");
    if (identifier.isBlank()) {
      throw new IllegalArgumentException("identifier must not be blank: it names the database");
    }
    this.dataSource = dataSource;
    this.url = url;
    this.user = user;
    this.password = password;
  }

  /** A database behind a data source, which should open plain connections and not pool them. */
  public static OutboxDatabase of(String identifier, DataSource dataSource) {
    return new OutboxDatabase(
        identifier, requireNonNull(dataSource, "dataSource"), null, null, null);
  }

  /** A database behind a JDBC URL that says everything. */
  public static OutboxDatabase of(String identifier, String url) {
    return new OutboxDatabase(identifier, null, requireNonNull(url, "url"), null, null);
  }

  /** A database behind a JDBC URL. */
  public static OutboxDatabase of(String identifier, String url, String user, String password) {
    return new OutboxDatabase(
        identifier,
        null,
        requireNonNull(url, "url"),
        requireNonNull(user, "user"),
        requireNonNull(password, "password"));
  }

  /** Returns the identifier by which a router finds the database. */
  public String identifier() {
    return identifier;
  }

  /** Null if a URL was given. */
  public @Nullable DataSource dataSource() {
    return dataSource;
  }

  /** Null if a data source was given. */
  public @Nullable String url() {
    return url;
  }

  /** Returns the user to connect as; null if the address or the data source has it. */
  public @Nullable String user() {
    return user;
  }

  /** Returns the password of the user; null if there is none. */
  public @Nullable String password() {
    return password;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof OutboxDatabase that
        && identifier.equals(that.identifier)
        && Objects.equals(dataSource, that.dataSource)
        && Objects.equals(url, that.url)
        && Objects.equals(user, that.user)
        && Objects.equals(password, that.password);
  }

  @Override
  public int hashCode() {
    return Objects.hash(identifier, url, user);
  }

  /** The identifier only: URLs and passwords do not belong in a log. */
  @Override
  public String toString() {
    return identifier;
  }
}
