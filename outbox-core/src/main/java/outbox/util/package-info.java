/**
 * The JSON codec of the headers, whose place the specification fixes. For those who make a store.
 * Depends on the JDK only; thread-safe.
 */
@NullMarked
package outbox.util;

import org.jspecify.annotations.NullMarked;
