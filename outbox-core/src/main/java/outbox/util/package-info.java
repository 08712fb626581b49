/** Identifiers, the JSON codec of the headers and pauses. Depends on the JDK only. */
@NullMarked
package outbox.util;

import org.jspecify.annotations.NullMarked;
