package outbox.jdbc.schema;

/**
 * How far a migration of the schema has come.
 *
 * @param step what is being done, as it stands in the log
 * @param rows how many rows this step has looked at
 * @param estimatedRows how many there are by the database's statistics; 0 for a step that goes over
 *     no rows
 * @param rowsPerSecond since the step began
 */
public record MigrationProgress(String step, long rows, long estimatedRows, long rowsPerSecond) {

  static MigrationProgress of(String step) {
    return new MigrationProgress(step, 0, 0, 0);
  }

  @Override
  public String toString() {
    return estimatedRows == 0 && rows == 0
        ? step
        : step + " rows=" + rows + " estimated=" + estimatedRows + " perSecond=" + rowsPerSecond;
  }
}
