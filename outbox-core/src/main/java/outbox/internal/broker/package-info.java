/**
 * What the modules for brokers share: the headers of a message, and the order in which a batch is
 * sent. Depends on the API only.
 */
@NullMarked
package outbox.internal.broker;

import org.jspecify.annotations.NullMarked;
