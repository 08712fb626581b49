package outbox.admin.data;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds the processes behind the owner tokens: each claim has one of its own. */
final class Nodes {
  private static final int LIMIT = 5_000;

  /** What the engine makes: the node's name, the process, the claim. */
  private static final Pattern TOKEN =
      Pattern.compile("([A-Za-z0-9_-]+\\.[0-9A-Z]{10})\\.[0-9a-z]+");

  private Nodes() {}

  static List<NodeRow> of(Looks table, String internal) {
    List<NodeRow> leases =
        table.look(
            session ->
                session.query(
                    "leases",
                    values -> values.number("limit", LIMIT).text("internal", internal),
                    row ->
                        new NodeRow(
                            process(row.required("owner_token")),
                            row.integer("leases"),
                            row.requiredInstant("oldest"),
                            row.requiredInstant("next_expiry"))));
    Map<String, NodeRow> nodes = new TreeMap<>();
    leases.forEach(lease -> nodes.merge(lease.owner(), lease, Nodes::together));
    return nodes.values().stream()
        .sorted(Comparator.comparingInt(NodeRow::leases).reversed())
        .toList();
  }

  private static String process(String token) {
    Matcher parts = TOKEN.matcher(token);
    return parts.matches() ? parts.group(1) : token;
  }

  private static NodeRow together(NodeRow one, NodeRow other) {
    return new NodeRow(
        one.owner(),
        one.leases() + other.leases(),
        earlier(one.oldest(), other.oldest()),
        earlier(one.nextExpiry(), other.nextExpiry()));
  }

  private static Instant earlier(Instant one, Instant other) {
    return one.isBefore(other) ? one : other;
  }
}
