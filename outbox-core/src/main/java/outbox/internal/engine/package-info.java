/**
 * The engine, put together: {@code Engine} serves one or many {@code StoreRuntime}s with one {@code
 * WorkerRuntime}, and {@code Shutdown} takes them out again. {@code ServedStores} keeps the stores
 * of a provider. Each package below holds one idea and none knows this one.
 *
 * <p>Called by {@code outbox.dispatch} only, on the threads of the application that build and close
 * a dispatcher. Starts and ends all threads of the engine: the performers of tasks, the timer and
 * the workers. Not exported.
 */
@NullMarked
package outbox.internal.engine;

import org.jspecify.annotations.NullMarked;
