package outbox.jdbc.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the product and its model have in common: whatever operations there are, and what they leave
 * behind.
 *
 * @param <R> what is known of one row
 */
interface Machine<R> {
  /** Everything that is stored, by name. */
  Map<String, R> rows();

  /**
   * For a model: what the product left behind after the next operation. It is asked only where the
   * product is free to choose.
   */
  default void choosesAsIn(Map<String, R> table) {}

  /** For the product: what is to go wrong in the next operation; null for nothing. */
  default void failsBy(@Nullable Fault fault) {}
}
