package outbox.jdbc.schema;

/**
 * The progress of a migration of the schema.
 *
 * @param step the current step, as the log shows it
 * @param rows how many rows this step has processed
 * @param estimatedRows how many rows the table has by the database's statistics; 0 for a step that
 *     scans no rows
 * @param rowsPerSecond rows per second since the step began
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
