/**
 * From the outbox to RabbitMQ, and from RabbitMQ into the inbox. Depends on the core and on
 * RabbitMQ's Java client.
 */
@NullMarked
package outbox.rabbitmq;

import org.jspecify.annotations.NullMarked;
