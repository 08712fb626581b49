package outbox.cli;

import static outbox.cli.OptionRow.option;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.cli.OptionRow.Given;
import outbox.cli.OptionRow.Look;
import outbox.cli.OptionRow.Option;
import outbox.inbox.InboundMessage;
import outbox.inbox.Inbox;
import outbox.inbox.InboxKey;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.JdbcInboxStore;
import outbox.jdbc.JdbcOutboxRepository;
import outbox.jdbc.schema.InboxSchema;
import outbox.jdbc.schema.OutboxSchema;
import outbox.model.MessageId;
import outbox.model.OwnerToken;

/** Which database, which table of it, and which of its messages. */
final class QueueOptionRows {
  static final String TABLES =
      "| `--table`, `--inbox-table`, `--join-table` | | other names than `outbox_event`,"
          + " `outbox_inbox` and `outbox_join` |";
  private static final String CONDITIONS =
      "Conditions: `--topic`, `--tenant`, `--correlation`, `--error TEXT`, `--since` (inclusive) and"
          + " `--until` (exclusive)";
  private static final String PASSWORD = "correct horse battery staple";

  static final Option TABLE = option("TableOptions --table", "outbox_event", TABLES);
  static final Option INBOX_TABLE = option("TableOptions --inbox-table", "outbox_inbox", TABLES);
  static final Option JOIN_TABLE = option("TableOptions --join-table", "outbox_join", TABLES);
  static final Option WAIT_TOPIC =
      option("TableOptions --wait-topic", "join.wait", "| `--wait-topic` | `join.wait` |");

  private QueueOptionRows() {}

  static List<OptionRow> rows() {
    List<OptionRow> rows = new ArrayList<>(databases());
    rows.addAll(tables());
    rows.addAll(conditions());
    rows.addAll(json());
    return rows;
  }

  private static List<OptionRow> databases() {
    return List.of(
        option("DatabaseOptions --url", "${env:OUTBOX_URL}", "| `--url` | `OUTBOX_URL` |")
            .row(
                "status",
                set ->
                    set
                        ? Cli.script(Shop.inMemory()).run("status").exit()
                        : Cli.nowhere().run("status").exit(),
                2,
                0),
        option("DatabaseOptions --user", "${env:OUTBOX_USER}", "| `--user` | `OUTBOX_USER` |")
            .row(
                "status",
                set -> {
                  Cli cli = Cli.script(Shop.inMemory().url);
                  return (set ? cli.run("status", "--user", "sa") : cli.run("status")).exit();
                },
                1,
                0),
        option("Password --password-env", "", "| `--password-env NAME` | `OUTBOX_PASSWORD` |")
            .row("status", ServeOptionRows::statusWithVariable, null, 0),
        option("Password --password-file", "", "`--password-file FILE`")
            .row("status", set -> asAnn(set ? file() : List.of()), 1, 0),
        option("Password --password-prompt", "", "`--password-prompt`")
            .row("status", set -> asAnn(set ? List.of("--password-prompt") : List.of()), 1, 0));
  }

  private static List<String> file() throws Exception {
    Path file = Files.createTempFile("outbox-options", "");
    file.toFile().deleteOnExit();
    Files.writeString(file, PASSWORD + "\n");
    return List.of("--password-file", file.toString());
  }

  /** How the command ends for a user who has a password. */
  private static Object asAnn(List<String> options) throws Exception {
    Shop shop = Shop.inMemory();
    shop.execute("CREATE USER ann PASSWORD '" + PASSWORD + "' ADMIN");
    return Cli.person(shop, 80, "ANN")
        .answers(PASSWORD)
        .run("status", options.toArray(new String[0]))
        .exit();
  }

  private static List<OptionRow> tables() {
    Look topics = OptionRow::topics;
    Option timeout =
        option(
            "QueueOptions --timeout", "5s", "| `--timeout` | | how long one look may take; 5s |");
    return List.of(
        option("QueueOptions --inbox", "", "| `--inbox` | | the inbox instead of the outbox;")
            .row(
                QueueOptionRows::twoOfEach,
                "list --json",
                "--inbox",
                (result, cli) -> OptionRow.found(result.out(), "\"source\":\"([a-z]+)\""),
                List.of(),
                List.of("bank", "shop")),
        timeout.row(
            QueueOptionRows::slowTable,
            "list --table slow_event",
            "--timeout 900ms",
            OptionRow.err("timeLimit (PT0.9S)"),
            null,
            true),
        TABLE.row(
            QueueOptionRows::otherTables,
            "list --json",
            "--table other_event",
            topics,
            List.of("usual"),
            List.of("other")),
        TABLE.row(
            QueueOptionRows::otherTables,
            "purge --done 0s --yes",
            "--table other_event",
            OptionRow.left(),
            List.of(),
            List.of("usual")),
        INBOX_TABLE.row(
            QueueOptionRows::otherTables,
            "list --inbox --json",
            "--inbox-table other_inbox",
            topics,
            List.of("usual"),
            List.of("other")),
        INBOX_TABLE.row(
            QueueOptionRows::otherTables,
            "purge --inbox --dead 0s --yes",
            "--inbox-table other_inbox",
            OptionRow.left("--inbox"),
            List.of(),
            List.of("usual")),
        JOIN_TABLE.row(
            QueueOptionRows::otherJoins,
            "show ID",
            "--join-table other_join",
            OptionRow.out("j-1"),
            false,
            true),
        WAIT_TOPIC.row(
            QueueOptionRows::waits,
            "list --json",
            "--wait-topic usual",
            topics,
            List.of("usual"),
            List.of("join.wait")));
  }

  /** A dead mail of ten days ago and a dead order of today, in the outbox and in the inbox. */
  static void twoOfEach(Shop shop) throws Exception {
    shop.dead("mail", 1, "timeout");
    shop.dead("order", 1, "no stock");
    shop.deadReceived("bank", "m-1");
    shop.deadReceived("shop", "m-2");
    String died = "available_at = DATEADD(DAY, -10, available_at)";
    shop.execute(
        "UPDATE outbox_event SET tenant_id = 'acme', correlation_id = 'c-1',"
            + " created_at = DATEADD(DAY, -11, created_at), "
            + died
            + " WHERE event_type = 'mail'");
    shop.execute(
        "UPDATE outbox_event SET tenant_id = 'globex', correlation_id = 'c-2'"
            + " WHERE event_type = 'order'");
    shop.execute(
        "UPDATE outbox_inbox SET topic = 'mail', last_error = 'timeout',"
            + " first_seen_at = DATEADD(DAY, -11, first_seen_at), "
            + died
            + " WHERE source = 'bank'");
    shop.execute(
        "UPDATE outbox_inbox SET topic = 'order', last_error = 'no stock' WHERE source = 'shop'");
  }

  /** Its statements would take for ever. */
  private static void slowTable(Shop shop) throws Exception {
    shop.pending("order", 1);
    shop.execute(
        "CREATE VIEW slow_event AS SELECT * FROM outbox_event"
            + " WHERE (SELECT MAX(MOD(x, 7)) FROM SYSTEM_RANGE(1, 1000000000000)) >= 0");
  }

  /** Two tables of events and two of messages, with one that has ended in each. */
  static void otherTables(Shop shop) {
    Properties user = new Properties();
    user.setProperty("user", "sa");
    DriverDataSource dataSource = new DriverDataSource(shop.url, user);
    OutboxSchema.of(dataSource).tableName("other_event").deploy();
    InboxSchema.of(dataSource).tableName("other_inbox").deploy();
    DataSourceConnectionProvider connections = new DataSourceConnectionProvider(dataSource);
    JdbcOutboxRepository events = JdbcOutboxRepository.builder().tableName("other_event").build();
    Outbox outbox = OutboxBuilder.of(connections, events).build();
    OwnerToken owner = OwnerToken.random();
    MessageId id = outbox.enqueue("other", "{}").id();
    outbox.claim(owner, Duration.ofMinutes(1), 1);
    outbox.ack(owner, List.of(id));
    Inbox inbox = Inbox.builder(connections, JdbcInboxStore.onTable("other_inbox")).build();
    inbox.enqueue(InboundMessage.of(new InboxKey("bank", "m-1"), "other", "{}"));
    inbox.markDead(new InboxKey("bank", "m-1"));
    shop.done("usual", 1);
    shop.inbox.enqueue(InboundMessage.of(new InboxKey("bank", "m-1"), "usual", "{}"));
    shop.inbox.markDead(new InboxKey("bank", "m-1"));
  }

  private static void otherJoins(Shop shop) throws Exception {
    MessageId step = shop.pending("order", 1).get(0);
    Cli.script(shop).run("schema migrate", "--joins=other_join");
    shop.execute("INSERT INTO other_join (join_id, expected_steps) VALUES ('j-1', 1)");
    shop.execute(
        "INSERT INTO other_join_member (join_id, message_id) VALUES ('j-1', '" + step + "')");
  }

  static void waits(Shop shop) {
    shop.pending("join.wait", 1);
    shop.pending("usual", 1);
  }

  private static List<OptionRow> conditions() {
    List<OptionRow> rows = new ArrayList<>();
    condition(rows, "--topic", "order", CONDITIONS, "", "--inbox ");
    condition(rows, "--tenant", "globex", CONDITIONS, "");
    condition(rows, "--correlation", "c-2", CONDITIONS, "");
    condition(rows, "--source", "shop", "`--source` instead of tenant and correlation", "--inbox ");
    condition(rows, "--error", "stock", CONDITIONS, "", "--inbox ");
    condition(rows, "--since", "5d", CONDITIONS, "", "--inbox ");
    condition(rows, "--until", "5d", CONDITIONS, "", "--inbox ");
    return rows;
  }

  /** Both to list and to replay, in each of the queues. */
  private static void condition(
      List<OptionRow> rows, String name, String value, String documented, String... queues) {
    Option option = option("FilterOptions " + name, "", documented);
    String met = name.equals("--until") ? "mail" : "order";
    String unmet = name.equals("--until") ? "order" : "mail";
    Given given = QueueOptionRows::twoOfEach;
    for (String queue : queues) {
      String dead = queue + "--status dead";
      rows.add(
          option.row(
              given,
              "list --json " + dead,
              name + " " + value,
              OptionRow::topics,
              List.of("mail", "order"),
              List.of(met)));
      rows.add(
          option.row(
              given,
              "replay --dead --yes " + queue,
              name + " " + value,
              OptionRow.left(dead.split(" ", -1)),
              List.of(),
              List.of(unmet)));
    }
  }

  private static List<OptionRow> json() {
    Option json = option("QueueCommand --json", "", "`--json` puts out one JSON object");
    Given given = QueueOptionRows::twoOfEach;
    Look look = (result, cli) -> result.out().startsWith("{");
    return List.of(
            "status",
            "top --count 1",
            "list",
            "show ID",
            "replay --dead --yes",
            "discard --dead --yes --reason gone",
            "purge --dead 0s --yes")
        .stream()
        .map(command -> json.row(given, command, "--json", look, false, true))
        .toList();
  }
}
