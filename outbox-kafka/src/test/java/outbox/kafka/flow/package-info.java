/** Two services with Kafka between them, each a process that is killed. */
@NullMarked
package outbox.kafka.flow;

import org.jspecify.annotations.NullMarked;
