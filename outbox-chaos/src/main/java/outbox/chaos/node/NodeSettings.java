package outbox.chaos.node;

import java.util.List;

/**
 * What a node is; travels as its command line.
 *
 * @param url of the database, through the node's proxy
 * @param tenants the URLs of the many databases, for that role
 * @param rate transactions per second
 * @param toTimeOfDay what to add to the steady clock for a time of day that no fault moves
 */
public record NodeSettings(
    String name,
    Role role,
    String url,
    List<String> tenants,
    String ledger,
    long seed,
    int rate,
    long toTimeOfDay) {

  /** Which parts of the library a node uses. */
  public enum Role {
    /** Outbox, inbox, joins and queue in transactions of the library, with notifications. */
    NOTIFIED,
    /** The same without notifications. */
    PLAIN,
    /** The same in Spring's transactions. */
    SPRING,
    /** The outboxes of many databases. */
    TENANTS
  }

  public List<String> arguments() {
    return List.of(
        name,
        role.name(),
        url,
        String.join(" ", tenants),
        ledger,
        String.valueOf(seed),
        String.valueOf(rate),
        String.valueOf(toTimeOfDay));
  }

  static NodeSettings parse(String[] arguments) {
    return new NodeSettings(
        arguments[0],
        Role.valueOf(arguments[1]),
        arguments[2],
        List.of(arguments[3].split(" ", -1)),
        arguments[4],
        Long.parseLong(arguments[5]),
        Integer.parseInt(arguments[6]),
        Long.parseLong(arguments[7]));
  }
}
