package outbox.spi;

import java.util.List;

/** The database is none of those that the store knows. */
public final class UnsupportedDatabaseException extends IllegalStateException {
  private static final long serialVersionUID = 1L;

  private final String product;
  private final String version;
  private final transient List<String> supported;

  /**
   * Names what was found and what could be used instead.
   *
   * @param product as its driver calls it
   */
  public UnsupportedDatabaseException(String product, String version, List<String> supported) {
    super(
        "database "
            + product
            + " "
            + version
            + " is not supported; use one of "
            + String.join(", ", supported));
    this.product = product;
    this.version = version;
    this.supported = List.copyOf(supported);
  }

  /** What the database calls itself. */
  public String product() {
    return product;
  }

  /** Returns the version that the database reports. */
  public String version() {
    return version;
  }

  /** The products that the store knows. */
  public List<String> supported() {
    return supported;
  }
}
