/** Real databases for tests, each server started once per JVM, and ways to hurt them. */
@NullMarked
package outbox.jdbc.db;

import org.jspecify.annotations.NullMarked;
