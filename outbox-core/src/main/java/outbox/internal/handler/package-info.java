/**
 * Handlers and transactional listeners in the place of listeners: what the registry keeps of them,
 * and the engine calls. Depends on the API only.
 */
@NullMarked
package outbox.internal.handler;

import org.jspecify.annotations.NullMarked;
