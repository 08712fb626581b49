/** A RabbitMQ node for tests: a process of its own, on loopback. */
@NullMarked
package outbox.rabbitmq.broker;

import org.jspecify.annotations.NullMarked;
