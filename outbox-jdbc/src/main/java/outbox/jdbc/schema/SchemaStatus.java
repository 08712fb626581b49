package outbox.jdbc.schema;

import java.util.List;

/**
 * The result of {@link OutboxSchema#check} or {@link InboxSchema#check}.
 *
 * @param table the table that was checked
 * @param version the installed version; 0 if the table does not exist
 * @param needed the version that this library needs
 * @param missing what is missing or unusable, each in a few words; empty if nothing is
 * @param finalized whether the upgrade is finalized: nothing of older versions is left, and every
 *     row must have a key
 * @param byHand whether a column is missing although the table has the needed version, because an
 *     operator dropped it: no migration adds it again
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

  /** The command that prints the script. */
  static final String PRINT = "outbox schema print";

  /** The command that ends an upgrade. */
  private static final String FINALIZE = "outbox schema finalize";

  public SchemaStatus {
    missing = List.copyOf(missing);
  }

  /** Returns the status of a missing table that has no versions. */
  static SchemaStatus missing(String table) {
    return new SchemaStatus(table, 0, 0, List.of("table " + table), true, false);
  }

  /** Returns whether this library can use the table. */
  public boolean isUsable() {
    return version >= needed && missing.isEmpty();
  }

  /** Returns the command to run next, with the options of the check; empty if there is none. */
  public String command() {
    if (!isUsable()) {
      return byHand ? PRINT : MIGRATE;
    }
    return finalized ? "" : FINALIZE;
  }

  /** Describes the status in one line, with the command that fixes it if it is not usable. */
  public String describe() {
    if (isUsable()) {
      String rest =
          finalized
              ? ""
              : ", not finalized yet; when no node of an older version runs any more, run: "
                  + FINALIZE;
      return "table " + table + " has schema version " + version + rest;
    }
    String found = version == 0 ? "is missing" : "has schema version " + version;
    String lacking =
        version == 0 || missing.isEmpty() ? "" : " and lacks " + String.join(", ", missing);
    String needs = version >= needed ? "" : ", but version " + needed + " is needed";
    String wayOut =
        byHand
            ? "; no migration adds a column to a table of this version: add it by hand, as printed by: "
            : "; run: ";
    return "table " + table + " " + found + lacking + needs + wayOut + command();
  }
}
