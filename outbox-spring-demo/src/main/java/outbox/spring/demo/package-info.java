/** The outbox in a REST application: orders are placed over HTTP and paid by a listener. */
@NullMarked
package outbox.spring.demo;

import org.jspecify.annotations.NullMarked;
