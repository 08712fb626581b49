/**
 * The hot and the cold lane, bounded in number and bytes and shared fairly among stores, and the
 * workers that take events out of them.
 *
 * <p>Publishers and claims offer, on their own threads; the threads named {@code outbox-worker-N}
 * take. One lock guards both lanes; no call here waits for a database.
 */
@NullMarked
package outbox.internal.engine.lanes;

import org.jspecify.annotations.NullMarked;
