/**
 * Deadlines, pauses and the causes of errors. For the modules of this library. Depends on the JDK
 * only; thread-safe.
 */
@NullMarked
package outbox.internal.util;

import org.jspecify.annotations.NullMarked;
