package outbox.cli;

import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.schema.InboxSchema;
import outbox.jdbc.schema.MigrationProgress;
import outbox.jdbc.schema.OutboxSchema;
import outbox.jdbc.schema.SchemaScript;
import outbox.jdbc.schema.SqlDialect;
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

  @Command(
      name = "print",
      description = "Prints the script, for Flyway, Liquibase or a DBA; needs no database.")
  static final class Print extends OfSchema {
    @Option(
        names = "--dialect",
        description = "database of the script: ${COMPLETION-CANDIDATES}; that at --url by default")
    @Nullable SqlDialect dialect;

    @Option(
        names = "--only",
        description = "without the tables of the outbox: what --inbox, --joins, --routines add")
    boolean only;

    @Option(
        names = "--from",
        description = "version of the table that exists; an empty database by default")
    int from;

    @Option(
        names = "--finalize",
        description = "the script that ends an upgrade, once no node of an older version runs")
    boolean finalize;

    @Override
    public Integer call() {
      if (finalize && from != 0) {
        throw new WrongCallException("--finalize and --from exclude each other");
      }
      if (only && !options.hasParts()) {
        throw new WrongCallException("--only needs --inbox, --joins or --routines");
      }
      if (dialect == null && options.database.url.isBlank()) {
        throw new WrongCallException(
            "--dialect is missing: name the database of the script, such as postgresql, or give"
                + " --url");
      }
      out().print(String.join("\n", scripts()));
      out().flush();
      return 0;
    }

    private List<String> scripts() {
      SqlDialect database = dialect == null ? options.dialect() : dialect;
      SchemaScript scripts = SchemaScript.of(database).tableName(options.table);
      List<String> all = new ArrayList<>();
      if (finalize) {
        all.add(scripts.finalizeUpgrade());
      } else if (from != 0) {
        all.add(dialect == null ? options.schema().upgradeScript(from) : scripts.upgrade(from));
      } else if (!only) {
        all.add(scripts.outbox());
      }
      all.addAll(options.parts(scripts));
      return all;
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
      description =
          "Creates what is missing while others work; continues where it was interrupted.")
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
