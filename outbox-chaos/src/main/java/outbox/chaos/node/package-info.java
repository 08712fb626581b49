/** A process under test: it publishes, handles and reports, and does what the driver tells it. */
@NullMarked
package outbox.chaos.node;

import org.jspecify.annotations.NullMarked;
