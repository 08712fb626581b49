package outbox.cli;

import static org.awaitility.Awaitility.await;
import static outbox.cli.OptionRow.option;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import outbox.cli.Cli.Result;
import outbox.cli.OptionRow.Given;
import outbox.cli.OptionRow.Look;
import outbox.cli.OptionRow.Option;
import outbox.inbox.InboundMessage;
import outbox.inbox.InboxKey;

/** What is shown of messages, and what is done to them. */
final class ActionOptionRows {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private ActionOptionRows() {}

  static List<OptionRow> looks() {
    Given mixed =
        shop -> {
          shop.dead("mail", 1, "timeout");
          shop.pending("order", 1);
          shop.deadReceived("bank", "m-1");
          shop.inbox.enqueue(InboundMessage.of(new InboxKey("shop", "m-2"), "order", "{}"));
        };
    Look topics = OptionRow::topics;
    Option status =
        option(
            "ListCommand --status",
            "all",
            "`--status`: pending, failed, processed, dead, leased, scheduled or all, which is the"
                + " default");
    return List.of(
        status.row(
            mixed,
            "list --json",
            "--status dead",
            topics,
            List.of("mail", "order"),
            List.of("mail")),
        status.row(
            mixed,
            "list --inbox --json",
            "--status dead",
            topics,
            List.of("order", "payment"),
            List.of("payment")),
        option("ListCommand --limit", "50", "`--limit` is 50")
            .row(
                shop -> shop.pending("order", 60),
                "list",
                "--limit 3",
                (result, cli) -> result.lines().size() - 1,
                50,
                3),
        option("ListCommand --after", "", "What follows comes by `--after`")
            .row("list", ActionOptionRows::rowsOfPage, 2, 1),
        option("ShowCommand --source", "", "`outbox show --inbox --source bank m-1`")
            .row(mixed, "show --inbox m-1", "--source bank", OptionRow::exit, 2, 0),
        option("ShowCommand --payload", "", "`--payload` shows what was sent as well")
            .row(mixed, "show ID", "--payload", OptionRow.out("{\"order\":0}"), false, true),
        option(
                "StatusCommand --fail-on",
                "UNHEALTHY",
                "It ends with 1 if the verdict is UNHEALTHY; `--fail-on degraded` is stricter")
            .row(mixed, "status", "--fail-on degraded", OptionRow::exit, 0, 1),
        option("TopCommand --interval", "2s", "`--interval` is 2s")
            .row(
                "top",
                set -> picture(set ? "--interval=7s" : "").contains(", every 7s"),
                false,
                true),
        option(
                "TopCommand --sort",
                "TROUBLE",
                "`--sort` is trouble, backlog, dead, oldest or topic")
            .row("top", set -> first(picture(set ? "--sort=backlog" : "")), "mail", "order"),
        option("TopCommand --count", "", "It ends after `--count` of them")
            .row(
                mixed,
                "top --interval 200ms",
                "--count 2",
                (result, cli) -> result.lines().size(),
                null,
                2));
  }

  /** How many are on the first page of two, or on the second of three messages. */
  private static Object rowsOfPage(boolean second) {
    Shop shop = Shop.inMemory();
    shop.pending("order", 3);
    Cli cli = Cli.script(shop);
    Result first = cli.run("list", "--limit", "2");
    String cursor = OptionRow.found(first.err(), "--after (\\S+)").get(0);
    Result page = second ? cli.run("list", "--limit", "2", "--after", cursor) : first;
    return page.lines().size() - 1;
  }

  private static String picture(String option) {
    Shop shop = Shop.inMemory();
    shop.dead("mail", 3, "timeout");
    shop.pending("order", 7);
    Cli person = Cli.person(shop, 80).types("q");
    return (option.isEmpty() ? person.run("top") : person.run("top", option)).out();
  }

  private static Object first(String picture) {
    return picture.indexOf("mail") < picture.indexOf("order") ? "mail" : "order";
  }

  static List<OptionRow> actions() {
    Given dead = shop -> shop.dead("mail", 1, "timeout");
    Option dryRun = option("ConfirmOptions --dry-run", "", "| `--dry-run` | |");
    Option yes = option("ConfirmOptions --yes", "", "| `--yes` | | does not ask.");
    Option by =
        option("DeadLetterCommand --by", "${sys:user.name}", "| `--by` | the user of the system |");
    Option failedOnly = option("ReplayCommand --failed-only", "", "| `--failed-only` | |");
    String user = System.getProperty("user.name");
    return List.of(
        dryRun.row(
            dead,
            "replay --dead --yes",
            "--dry-run",
            OptionRow.left("--status", "dead"),
            List.of(),
            List.of("mail")),
        dryRun.row(
            dead,
            "purge --dead 0s --yes",
            "--dry-run",
            OptionRow.left(),
            List.of(),
            List.of("mail")),
        yes.row(dead, "replay --dead", "--yes", OptionRow::exit, Main.NOT_CONFIRMED, 0),
        yes.row(dead, "purge --dead 0s", "--yes", OptionRow::exit, Main.NOT_CONFIRMED, 0),
        option("DeadLetterCommand --dead", "", "Either ids, or `--dead` with the conditions of")
            .row(dead, "replay --yes", "--dead", OptionRow::exit, 2, 0),
        by.row(
            dead,
            "replay --dead --yes",
            "--by ann",
            OptionRow.shown("replayed +by (.*)"),
            user,
            "ann"),
        by.row(
            dead, "replay ID --yes", "--by ann", OptionRow.shown("replayed +by (.*)"), user, "ann"),
        by.row(
            dead,
            "discard --dead --yes --reason gone",
            "--by ann",
            OptionRow.shown("discarded by (.*): gone"),
            user,
            "ann"),
        option("DeadLetterCommand --rate", "2000", "| `--rate` | 2000 |")
            .row("replay --dead --rate 300", set -> takesLong("--rate=300"), null, true),
        option("ReplayCommand --max-backlog", "2000", "| `--max-backlog` | 2000 |")
            .row("replay --dead --max-backlog 1", set -> waitsForWorkers(), null, true),
        failedOnly.row(
            ActionOptionRows::halfDone,
            "replay --dead --yes",
            "--failed-only",
            OptionRow.shown("done +(mail)"),
            "nothing",
            "mail"),
        failedOnly.row(
            ActionOptionRows::halfDone,
            "replay ID --yes",
            "--failed-only",
            OptionRow.shown("done +(mail)"),
            "nothing",
            "mail"),
        option("DiscardCommand --reason", "", "| `--reason` | required |")
            .row(
                dead,
                "discard --dead --yes",
                "--reason gone",
                OptionRow.shown("discarded by .*: (.*)"),
                "nothing",
                "gone"),
        option("PurgeCommand --done", "", "outbox purge --done 7d --dead 90d")
            .row(
                ActionOptionRows::eightDaysAgo,
                "purge --yes --dead 9d",
                "--done 7d",
                OptionRow.left(),
                List.of("mail", "order"),
                List.of("mail")),
        option("PurgeCommand --dead", "", "outbox purge --done 7d --dead 90d")
            .row(
                ActionOptionRows::eightDaysAgo,
                "purge --yes --done 9d",
                "--dead 7d",
                OptionRow.left(),
                List.of("mail", "order"),
                List.of("order")));
  }

  /** Two batches: the second waits until the rate allows it. */
  private static Object takesLong(String rate) {
    Shop shop = Shop.inMemory();
    shop.dead("mail", 600, "timeout");
    long begun = System.nanoTime();
    Result replay = Cli.script(shop).run("replay", "--dead", "--yes", rate);
    Duration taken = Duration.ofNanos(System.nanoTime() - begun);
    return replay.exit() == 0 && taken.compareTo(Duration.ofMillis(1_500)) > 0;
  }

  /** It goes on once what it has replayed is taken. */
  private static Object waitsForWorkers() {
    Shop shop = Shop.inMemory();
    shop.dead("mail", 600, "timeout");
    StringWriter err = new StringWriter();
    CompletableFuture<Integer> exit =
        CompletableFuture.supplyAsync(
            () ->
                Main.run(
                    new PrintWriter(new StringWriter(), true),
                    new PrintWriter(err, true),
                    FakeTerminal.of(120),
                    "replay --dead --yes --max-backlog 1 --user sa --url "
                        .concat(shop.url)
                        .split(" ", -1)));
    await()
        .atMost(PATIENCE)
        .until(() -> exit.isDone() || err.toString().contains("waiting for workers"));
    boolean waited = !exit.isDone();
    shop.lease(1_000);
    return exit.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join() == 0 && waited;
  }

  /** A dead message of which one listener is done and one is not. */
  private static void halfDone(Shop shop) throws Exception {
    shop.dead("mail", 1, "timeout");
    shop.execute("UPDATE outbox_event SET listeners = '{\"mail\":\"done\",\"broker\":\"failed\"}'");
  }

  private static void eightDaysAgo(Shop shop) throws Exception {
    shop.done("order", 1);
    shop.dead("mail", 1, "timeout");
    shop.execute(
        "UPDATE outbox_event SET done_at = DATEADD(DAY, -8, done_at), available_at ="
            + " DATEADD(DAY, -8, available_at)");
  }
}
