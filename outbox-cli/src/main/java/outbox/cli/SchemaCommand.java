package outbox.cli;

import java.time.ZoneId;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.schema.InboxSchema;
import outbox.jdbc.schema.MigrationProgress;
import outbox.jdbc.schema.OutboxSchema;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What can be done with the schema. */
@Command(
    name = "schema",
    description = "Prints, checks, migrates and finalizes the schema.",
    subcommands = {
      SchemaCommand.Print.class,
      SchemaCommand.Check.class,
      SchemaCommand.Migrate.class,
      SchemaCommand.Finalize.class,
      HelpCommand.class
    })
final class SchemaCommand {
  private SchemaCommand() {}

  /** What the four have in common. */
  abstract static class OfSchema extends Subcommand {
    @Mixin SchemaOptions options = new SchemaOptions();
  }

  @Command(name = "print", description = "Prints the statements, for Flyway, Liquibase or a DBA.")
  static final class Print extends OfSchema {
    @Option(
        names = "--from",
        description = "version of the table that is there; an empty database by default")
    int from;

    @Option(
        names = "--finalize",
        description = "those that end an upgrade, once no node of an older version runs any more")
    boolean finalize;

    @Override
    public Integer call() {
      if (finalize && from != 0) {
        throw new WrongCallException("--finalize and --from exclude each other");
      }
      OutboxSchema schema = options.schema();
      if (finalize) {
        out().print(schema.finalizeScript());
      } else {
        out().print(from == 0 ? schema.script() : schema.upgradeScript(from));
        options.inboxSchema().ifPresent(inbox -> out().print("\n" + inbox.script()));
      }
      out().flush();
      return 0;
    }
  }

  @Command(name = "check", description = "Says what is there and what is missing; changes nothing.")
  static final class Check extends OfSchema {
    @Option(names = "--json", description = "as JSON")
    boolean json;

    @Override
    public Integer call() {
      return SchemaReport.show(options, out(), json);
    }
  }

  /** What changes the schema, and shows how far it is. */
  abstract static class Changing extends OfSchema {
    @Option(names = "--json", description = "the result as JSON, and no progress")
    boolean json;

    @Option(
        names = "--rate",
        description = "fill in no more than so many rows a second; as fast as it goes by default")
    @Nullable Integer rate;

    @Option(
        names = "--allow-locking",
        description =
            "MariaDB, MySQL: let writers wait while a large table is copied or indexed; without"
                + " it such a change is refused before it begins")
    boolean allowLocking;

    @Override
    public final Integer call() {
      if (rate != null) {
        requirePositive("--rate", rate);
      }
      OutboxSchema schema = options.schema();
      schema = rate == null ? schema : schema.backfillRate(rate);
      schema = allowLocking ? schema.allowLocking() : schema;
      change(schema, json ? progress -> {} : new ProgressLine(err()));
      return SchemaReport.show(options, out(), json);
    }

    abstract void change(OutboxSchema schema, Consumer<MigrationProgress> listener);
  }

  @Command(
      name = "migrate",
      description = "Creates what is missing while others work; goes on where it was cut off.")
  static final class Migrate extends Changing {
    @Option(
        names = "--version1-zone",
        description =
            "MariaDB, MySQL, SQL Server: the zone in which version 1 wrote its times, such as"
                + " Europe/Berlin; they are converted to UTC. Stop all its nodes before")
    @Nullable ZoneId version1Zone;

    Migrate() {
      options.database.creates = true;
    }

    @Override
    void change(OutboxSchema schema, Consumer<MigrationProgress> listener) {
      (version1Zone == null ? schema : schema.version1Zone(version1Zone)).migrate(listener);
      options.inboxSchema().ifPresent(InboxSchema::deploy);
    }
  }

  @Command(
      name = "finalize",
      description = "Ends an upgrade, once no node of an older version runs any more.")
  static final class Finalize extends Changing {
    @Option(
        names = "--force",
        description = "although rows of the last minutes look as if an older version still ran")
    boolean force;

    @Override
    void change(OutboxSchema schema, Consumer<MigrationProgress> listener) {
      (force ? schema.forced() : schema).finalizeUpgrade(listener);
    }
  }
}
