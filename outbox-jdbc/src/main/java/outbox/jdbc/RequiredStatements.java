package outbox.jdbc;

import java.util.Set;
import java.util.TreeSet;

/** Which statements the file of a database must have, by what the library does with it. */
final class RequiredStatements {
  /** What every table with leases needs, whatever the database's way of locking. */
  private static final Set<String> LEASING =
      Set.of(
          "columns",
          "installed_version",
          "any_due",
          "inspect",
          "ack",
          "abandon",
          "defer",
          "fail",
          "renew",
          "mark_started",
          "reap",
          "now",
          "backlog",
          "dead_letters",
          "dead_letter",
          "count_dead",
          "replay",
          "discard",
          "purge_payloads",
          "purge_done",
          "purge_dead");

  private static final Set<String> MIGRATING =
      Set.of(
          "indexes",
          "key_required",
          "estimate",
          "steps",
          "record_step",
          "save_position",
          "record_version",
          "keyless",
          "young_of_version1",
          "unfilled",
          "last_id",
          "next_ids",
          "keyless_ids",
          "unfilled_ids",
          "lock_keyless",
          "lock_unfilled",
          "fill_keys",
          "fill_keys_and_payloads");

  /** For times that carry no zone. */
  private static final Set<String> CONVERTING = Set.of("created_ahead", "times", "set_times");

  /** For changes that keep writers out. */
  private static final Set<String> LOCKING = Set.of("many_rows", "other_characters");

  private RequiredStatements() {}

  static Set<String> ofTable(Statements statements) {
    TableKind kind = statements.kind();
    Set<String> required = new TreeSet<>(LEASING);
    required.addAll(kind.statements());
    required.addAll(statements.leases().statementNames());
    if (statements.dialect().readsOldSnapshots()) {
      required.add("inspect_unlocked");
    }
    if (kind == TableKind.OUTBOX) {
      required.addAll(statements.keyedInserts().statementNames());
      required.addAll(statements.dialect().statementsOfOthers());
    }
    if (kind == TableKind.INBOX && !statements.leases().returnsRows()) {
      required.addAll(JdbcInboxStore.LOCKING);
    }
    return required;
  }

  static Set<String> ofJoins(Statements statements) {
    Set<String> required = new TreeSet<>(JdbcJoinStore.STATEMENTS);
    required.addAll(statements.dialect().stepFlip(statements).statementNames());
    return required;
  }

  static Set<String> ofMigration(Dialect dialect) {
    Set<String> required = new TreeSet<>(MIGRATING);
    if (dialect.instants() == InstantType.LOCAL_IN_UTC) {
      required.addAll(CONVERTING);
    }
    if (!dialect.tableUnlock().isEmpty()) {
      required.addAll(LOCKING);
    }
    return required;
  }
}
