package outbox.jdbc;

import java.util.List;

/**
 * What {@link OutboxSchema#check} found.
 *
 * @param table the table that was looked at
 * @param version the version that is there; 0 if there is no table
 * @param needed the version that this library needs
 * @param missing what is not there or not usable, each in a few words; empty if all is well
 * @param finalized whether the remains of older versions are gone and every row must have a key
 */
public record SchemaStatus(
    String table, int version, int needed, List<String> missing, boolean finalized) {
  public SchemaStatus {
    missing = List.copyOf(missing);
  }

  /** Whether this library can work on the table. */
  public boolean isUsable() {
    return version >= needed && missing.isEmpty();
  }

  /** What was found, in one line, with the way out if it is not usable. */
  public String describe() {
    if (isUsable()) {
      String rest = finalized ? "" : ", not finalized yet";
      return "table " + table + " has schema version " + version + rest;
    }
    String found = version == 0 ? "is missing" : "has schema version " + version;
    String lacking =
        version == 0 || missing.isEmpty() ? "" : " and lacks " + String.join(", ", missing);
    return "table " + table + " " + found + lacking + ", but version " + needed + " is needed";
  }
}
