/**
 * When something is to be done at a store, and which store is next: tasks that are requested now or
 * at a time, in turn on a bounded number of connections, and {@code Wakeups}, the one place where
 * pollers are woken.
 *
 * <p>Any thread may request a task or wake pollers; neither waits. The threads named {@code
 * outbox-store-N} take tasks, and the scheduler's lock guards their queues. It is not held while a
 * task runs.
 */
@NullMarked
package outbox.internal.engine.schedule;

import org.jspecify.annotations.NullMarked;
