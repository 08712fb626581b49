/**
 * The values that API and SPI share: stored events, dead letters, joins, ids and their statuses.
 * Applications read them, stores make them. Depends on {@code outbox.util} only; immutable, and so
 * thread-safe.
 */
@NullMarked
package outbox.model;

import org.jspecify.annotations.NullMarked;
