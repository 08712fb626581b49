/**
 * Joins: go on when all of them are done. A join counts the ends of messages; a wait message goes
 * on when the join has ended. Built on the store's hook and on a transactional handler; nothing
 * else of the outbox knows of it. Depends on API, SPI and model only.
 */
@NullMarked
package outbox.join;

import org.jspecify.annotations.NullMarked;
