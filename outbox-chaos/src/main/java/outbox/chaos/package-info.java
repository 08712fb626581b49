/**
 * Tries the library with real processes on real databases: a driver starts nodes, injects faults
 * chosen by a seed, and closes each round with an account.
 */
@NullMarked
package outbox.chaos;

import org.jspecify.annotations.NullMarked;
