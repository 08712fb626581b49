package outbox.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import outbox.Bulk;
import outbox.DeadLetters;
import outbox.admin.data.OperatedDatabase;
import outbox.inbox.InboxKey;
import outbox.model.DeadLetterFilter;
import outbox.model.MessageId;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What is done to dead messages: to some by their ids, or to all that a filter means. */
abstract class DeadLetterCommand extends QueueCommand {
  @Parameters(
      paramLabel = "ID",
      arity = "0..*",
      description = "ids of dead messages; with --inbox those that the sender --source gave them")
  List<String> ids = new ArrayList<>();

  @Option(names = "--dead", description = "all dead messages that meet the conditions")
  boolean dead;

  @Mixin FilterOptions filter = new FilterOptions();

  @Mixin ConfirmOptions confirm = new ConfirmOptions();

  @Option(
      names = "--by",
      defaultValue = "${sys:user.name}",
      description = "who does it, for the trace that is kept (default: ${DEFAULT-VALUE})")
  String by = "";

  @Option(
      names = "--rate",
      defaultValue = "2000",
      description = "no more than so many a second (default: ${DEFAULT-VALUE})")
  int rate;

  /** What it is called before and after it was done. */
  abstract String verb();

  abstract String past();

  /** Why it may take a while without anything being seen to move. */
  abstract String stalled();

  /** Changes all of a filter; returns how many. */
  abstract long change(DeadLetters letters, DeadLetterFilter meant, Bulk bulk);

  /** Changes those that are dead; returns them. */
  abstract Set<MessageId> change(DeadLetters letters, List<MessageId> some);

  /** Changes one message of an inbox; returns whether it was dead. */
  abstract boolean change(OperatedDatabase database, InboxKey key);

  /** By whom, and how fast. */
  Bulk bulk() {
    requirePositive("--rate", rate);
    return Bulk.by(by).perSecond(rate);
  }

  @Override
  public Integer call() {
    if (dead == !ids.isEmpty()) {
      throw new WrongCallException("give either ids or --dead, which means all that are dead");
    }
    Bulk unused = bulk();
    return dead ? new AllDead(this).call() : new SomeDead(this).call();
  }

  /** Whether it may be done. */
  final boolean confirmed(String what) {
    String verb = verb();
    String question =
        Character.toUpperCase(verb.charAt(0))
            + verb.substring(1)
            + " "
            + what
            + " of "
            + queue.tableName()
            + " in "
            + queue.database.shownUrl()
            + "?";
    return confirm.confirmed(question, terminal(), err());
  }
}
