/**
 * The work queue beside a small model of it: the same random operations go to both, and whatever
 * they answer and leave behind must be the same. {@link outbox.jdbc.model.QueueModel} can be read
 * as the specification.
 */
@NullMarked
package outbox.jdbc.model;

import org.jspecify.annotations.NullMarked;
