/** The database servers under test, which can be stopped, crashed and hindered. */
@NullMarked
package outbox.chaos.server;

import org.jspecify.annotations.NullMarked;
