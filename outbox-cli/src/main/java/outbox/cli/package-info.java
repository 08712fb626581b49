/**
 * The command line: each command is a class, and all of them find their database by the same
 * options. Depends on the public API of the other modules only.
 */
@NullMarked
package outbox.cli;

import org.jspecify.annotations.NullMarked;
