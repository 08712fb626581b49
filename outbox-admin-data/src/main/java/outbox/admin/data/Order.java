package outbox.admin.data;

import java.util.function.Consumer;
import outbox.jdbc.internal.sql.Parameters;

/**
 * One of the orders in which a list reads its table, each that of an index.
 *
 * @param statement that lists the rows
 * @param placeStatement that finds the place of the row so many rows further
 * @param jumpStatement the same from the beginning on, for many rows
 * @param fromNow begins with what is due after now
 * @param sparse wants only some of the rows that it reads
 * @param values what it binds beside place and filter
 */
record Order(
    String statement,
    String placeStatement,
    String jumpStatement,
    boolean fromNow,
    boolean sparse,
    Consumer<Parameters> values) {

  /** The live rows, whose turn comes first first; any status and any holder if negative. */
  static Order byTurn(int status, int held, boolean fromNow) {
    return of(
        "by_turn",
        fromNow,
        status >= 0 || held >= 0,
        values -> values.number("status", status).number("held", held));
  }

  static Order byDeath() {
    return of("by_death", false, false, values -> {});
  }

  /** Completed rows whose payload is still there, or not. */
  static Order byCompletion(boolean kept) {
    return new Order(
        "by_completion",
        "place_by_completion",
        "jump_by_completion",
        false,
        false,
        values -> values.number("kept", kept ? 1 : 0));
  }

  /** All rows, or those of a status, from the highest id on. */
  static Order byId(int status) {
    return of("by_id", false, status >= 0, values -> values.number("status", status));
  }

  /** The joins of one key, from the highest id on. */
  static Order byKey(String key, int status) {
    return of(
        "by_key", false, status >= 0, values -> values.text("key", key).number("status", status));
  }

  private static Order of(
      String statement, boolean fromNow, boolean sparse, Consumer<Parameters> values) {
    String place = "place_" + statement;
    return new Order(statement, place, place, fromNow, sparse, values);
  }
}
