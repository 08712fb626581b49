/**
 * One event in the hands of this process: its facts, its lease and {@code Stage} ({@code
 * Delivery}), the run of its listeners ({@code Run}), what becomes of it ({@code Outcome}), and the
 * set of all that are in flight. A new outcome of a handler begins at {@code Outcome}.
 *
 * <p>Used by all other packages of the engine but {@code health}; depends on {@code common} only.
 * Workers and flushes move a delivery from stage to stage; the timer, claims and a shutdown cancel
 * its run or replace its lease beside them.
 */
@NullMarked
package outbox.internal.engine.delivery;

import org.jspecify.annotations.NullMarked;
