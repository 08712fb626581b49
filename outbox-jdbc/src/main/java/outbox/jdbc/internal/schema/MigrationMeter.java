package outbox.jdbc.internal.schema;

/** Measures how far a migration has come. Used by the thread that migrates. */
public interface MigrationMeter {
  /** A step begins. */
  void begin(String step);

  /** So many rows of the step are done, of about so many. */
  void rows(long done, long estimated);

  /** A step over rows has ended. */
  void end(long done);
}
