/**
 * The engine: two lanes, workers, leases, group-committed completions, retries. Everything that
 * runs a listener lives here; how often the database is asked is the poller's business.
 */
@NullMarked
package outbox.dispatch;

import org.jspecify.annotations.NullMarked;
