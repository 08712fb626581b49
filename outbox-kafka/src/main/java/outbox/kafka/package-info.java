/**
 * From the outbox to Kafka, and from Kafka into the inbox. Depends on the core and on Kafka's
 * client; on the CloudEvents SDK only if that is asked for.
 */
@NullMarked
package outbox.kafka;

import org.jspecify.annotations.NullMarked;
