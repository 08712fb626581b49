/** The clock that no fault moves, and those of nodes and servers, which faults move. */
@NullMarked
package outbox.chaos.clock;

import org.jspecify.annotations.NullMarked;
