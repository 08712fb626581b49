/**
 * The schema as users deploy, migrate and check it: {@link OutboxSchema}, {@link InboxSchema}, and
 * what they found. Called by applications, their tools, and the facades of {@code outbox.jdbc}; the
 * work is done by {@code internal.schema}. A schema object may be shared by threads; each call runs
 * on the thread of its caller, and nodes keep each other out.
 */
@NullMarked
package outbox.jdbc.schema;

import org.jspecify.annotations.NullMarked;
