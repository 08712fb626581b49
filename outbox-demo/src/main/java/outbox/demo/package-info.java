/**
 * A small shop that shows the outbox at work: what it does when all is well, and when listeners
 * fail, queues overflow and nodes crash. Uses only what an application would use.
 */
@NullMarked
package outbox.demo;

import org.jspecify.annotations.NullMarked;
