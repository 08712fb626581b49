package outbox.jdbc.schema;

/**
 * Is told how far a migration has come: at the beginning of each step, and a few times a second
 * while rows are filled in. Called on the thread that migrates.
 */
@FunctionalInterface
public interface MigrationListener {
  void progressed(MigrationProgress progress);
}
