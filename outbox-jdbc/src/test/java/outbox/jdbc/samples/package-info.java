/** The code that README and docs quote, run against H2, and what the pages themselves must hold. */
@NullMarked
package outbox.jdbc.samples;

import org.jspecify.annotations.NullMarked;
