package outbox.jdbc.mutants;

/** A statement of a file, broken in one way. */
public record SqlMutant(StatementFile file, String statement, int number, SqlMutation mutation) {

  /** The statement with its subject, such as {@code inbox/enqueue}. */
  public String subject() {
    return file.subject() + "/" + statement;
  }

  public String name() {
    return "%s/%s#%d %s: %s"
        .formatted(file.database(), subject(), number, mutation.operator(), mutation.fragment());
  }

  /** What tells it from every other mutant of its database, whatever is added before it. */
  public String key() {
    return subject() + " | " + mutation.operator() + " | " + mutation.fragment();
  }

  /** The whole file with this statement broken. */
  public String fileText() {
    return file.with(statement, mutation.text());
  }
}
