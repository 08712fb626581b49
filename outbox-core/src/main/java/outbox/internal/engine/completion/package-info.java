/**
 * The way of outcomes back into the database, many in one statement, and what is told once they are
 * there: counters, log lines, dead letters.
 *
 * <p>Workers hand outcomes over and never wait here; flushes are a task of the store and run once
 * at a time. Dead letters are told on a thread of their own.
 */
@NullMarked
package outbox.internal.engine.completion;

import org.jspecify.annotations.NullMarked;
