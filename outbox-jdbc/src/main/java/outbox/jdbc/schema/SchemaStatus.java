package outbox.jdbc.schema;

import java.util.List;

/**
 * What {@link OutboxSchema#check} or {@link InboxSchema#check} found.
 *
 * @param table the table that was looked at
 * @param version the version that is there; 0 if there is no table
 * @param needed the version that this library needs
 * @param missing what is not there or not usable, each in a few words; empty if all is well
 * @param finalized whether the remains of older versions are gone and every row must have a key
 * @param byHand whether something is missing that was there, such as a column that an operator
 *     dropped: no migration adds it
 */
public record SchemaStatus(
    String table,
    int version,
    int needed,
    List<String> missing,
    boolean finalized,
    boolean byHand) {
  /** The command that creates or upgrades what is missing. */
  private static final String MIGRATE = "outbox schema migrate";

  /** The command that shows what is to be added by hand. */
  private static final String PRINT = "outbox schema print";

  /** The command that ends an upgrade. */
  private static final String FINALIZE = "outbox schema finalize";

  public SchemaStatus {
    missing = List.copyOf(missing);
  }

  /** A table of which nothing is there, and whose versions are not counted. */
  static SchemaStatus missing(String table) {
    return new SchemaStatus(table, 0, 0, List.of("table " + table), true, false);
  }

  /** Whether this library can work on the table. */
  public boolean isUsable() {
    return version >= needed && missing.isEmpty();
  }

  /** The command that is due next, to be run with the options of the check; empty if none is. */
  public String command() {
    if (!isUsable()) {
      return byHand ? PRINT : MIGRATE;
    }
    return finalized ? "" : FINALIZE;
  }

  /** What was found, in one line, with the command that mends it if it is not usable. */
  public String describe() {
    if (isUsable()) {
      String rest =
          finalized
              ? ""
              : ", not finalized yet; once no node of an older version runs any more: " + FINALIZE;
      return "table " + table + " has schema version " + version + rest;
    }
    String found = version == 0 ? "is missing" : "has schema version " + version;
    String lacking =
        version == 0 || missing.isEmpty() ? "" : " and lacks " + String.join(", ", missing);
    String needs = version >= needed ? "" : ", but version " + needed + " is needed";
    String wayOut =
        byHand
            ? "; no migration adds a column to what has this version: add it by hand, as printed by: "
            : "; run: ";
    return "table " + table + " " + found + lacking + needs + wayOut + command();
  }
}
