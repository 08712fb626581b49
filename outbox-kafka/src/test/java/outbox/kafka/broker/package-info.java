/** A Kafka broker for tests and demos: a process of its own, on loopback. */
@NullMarked
package outbox.kafka.broker;

import org.jspecify.annotations.NullMarked;
