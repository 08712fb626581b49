/** Identifiers and the JSON codec of the headers. Depends on the JDK only. */
@NullMarked
package outbox.util;

import org.jspecify.annotations.NullMarked;
