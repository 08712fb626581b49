/**
 * Batch listeners as the registry keeps them and the engine calls them. Depends on the API only.
 */
@NullMarked
package outbox.internal.batch;

import org.jspecify.annotations.NullMarked;
