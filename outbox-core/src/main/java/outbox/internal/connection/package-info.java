/**
 * What is done to a JDBC connection from outside: its auto-commit mode, a limit on its network, a
 * proxy before it. For the modules of this library. Depends on the JDK only. A connection belongs
 * to one thread at a time, and so does what this package does to it.
 */
@NullMarked
package outbox.internal.connection;

import org.jspecify.annotations.NullMarked;
