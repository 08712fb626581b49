package outbox.routing;

import java.time.Duration;
import java.util.Collection;

/** Finds the databases of all tenants, for example in a catalogue database. */
@FunctionalInterface
public interface OutboxDatabaseDiscovery {
  /** How often databases are looked for unless set otherwise. */
  Duration DEFAULT_INTERVAL = Duration.ofMinutes(5);

  /**
   * All databases there are now. One that is missing is drained and closed, so a discovery that
   * cannot tell throws instead: then everything stays as it is.
   */
  Collection<OutboxDatabase> discoverDatabases() throws Exception;
}
