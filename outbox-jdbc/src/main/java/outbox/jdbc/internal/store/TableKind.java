package outbox.jdbc.internal.store;

import java.util.Set;

/**
 * The tables that have leases. What gates, fences and completes a row is the same in all of them,
 * and so are the statements for it; a kind adds those that know its own columns.
 */
public enum TableKind {
  OUTBOX(
      "",
      Set.of(
          "insert",
          "insert_all",
          "mark_done",
          "mark_done_delete",
          "mark_retry",
          "mark_dead",
          "poll_pending",
          "version1_payload",
          "purge_payloads_beside",
          "ack_delete",
          "ack_keyed")),

  INBOX(
      "inbox/",
      Set.of(
          "receive",
          "receive_all",
          "fill",
          "enqueue",
          "see",
          "mark_processing",
          "mark_processed",
          "mark_dead",
          "get",
          "find_ids",
          "pin",
          "pinned"));

  private final String folder;

  @SuppressWarnings("ImmutableEnumChecker")
  private final Set<String> statements;

  TableKind(String folder, Set<String> statements) {
    this.folder = folder;
    this.statements = statements;
  }

  /** Where the SQL files are that know its columns. */
  public String folder() {
    return folder;
  }

  /** What it needs beside the statements of every table with leases. */
  public Set<String> statements() {
    return statements;
  }
}
