package outbox;

import java.util.List;

/**
 * Settings that are valid each by itself exclude each other, or do not suit the database. The
 * message names them, their values and the way out.
 */
public final class ConflictingSettingsException extends IllegalStateException {
  private static final long serialVersionUID = 1L;

  private final transient List<String> settings;

  /**
   * Names the settings beside the message, for those who know them by other names.
   *
   * @param settings as the builder or the configuration calls them
   */
  public ConflictingSettingsException(String message, String... settings) {
    super(message);
    this.settings = List.of(settings);
  }

  /**
   * Returns the settings as the builder or the configuration calls them, such as {@code
   * leaseDuration}; one that is a call without a value ends with parentheses.
   */
  public List<String> settings() {
    return settings;
  }
}
