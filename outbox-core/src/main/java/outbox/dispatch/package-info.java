/**
 * What applications type to run the engine: {@code OutboxDispatcher} for one database, {@code
 * MultiOutboxDispatcher} for many, and the rules by which failed events are tried again. Rules by
 * exception are {@code Retries}; {@code TopicRetries} applies them.
 *
 * <p>May be called from any thread. The engine behind it is {@code outbox.internal.engine}, which
 * does not know this package.
 */
@NullMarked
package outbox.dispatch;

import org.jspecify.annotations.NullMarked;
