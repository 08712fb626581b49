package outbox;

import java.util.List;

/**
 * A setting has a value that it must not have. The message names the setting, the value and the
 * rule.
 */
public final class InvalidSettingException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  private final transient List<String> settings;

  /**
   * Names the settings beside the message, for those who know them by other names.
   *
   * @param settings as the builder or the configuration calls them
   */
  public InvalidSettingException(String message, String... settings) {
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
