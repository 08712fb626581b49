/**
 * The work queue, the joins and the inbox beside a small model of each: the same random operations
 * go to both, and whatever they answer and leave behind must be the same. {@link
 * outbox.jdbc.model.QueueModel}, {@link outbox.jdbc.model.JoinModel} and {@link
 * outbox.jdbc.model.InboxModel} can be read as the specification.
 */
@NullMarked
package outbox.jdbc.model;

import org.jspecify.annotations.NullMarked;
