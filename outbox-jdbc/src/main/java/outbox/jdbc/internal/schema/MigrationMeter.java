package outbox.jdbc.internal.schema;

/** Receives the progress of a migration, on the thread that migrates. */
public interface MigrationMeter {
  /** Called when a step begins. */
  void begin(String step);

  /** Called after each chunk of rows with the number done and the estimated total. */
  void rows(long done, long estimated);

  /** Called when a step that scans rows has ended. */
  void end(long done);
}
