/**
 * Deploys, migrates and checks the schema: {@link OutboxSchema} and {@link InboxSchema}; prints its
 * scripts: {@link SchemaScript}. Applications, their tools and the facades of {@code outbox.jdbc}
 * call it; {@code internal.schema} does the work. Threads may share a schema object; each call runs
 * on the thread of its caller, and a lock in the database keeps nodes apart.
 */
@NullMarked
package outbox.jdbc.schema;

import org.jspecify.annotations.NullMarked;
