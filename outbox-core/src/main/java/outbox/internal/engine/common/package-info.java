/**
 * What every part of the engine may use: threads and waits, the text of errors, the names of
 * loggers. Knows nothing else of the engine; may be called from any thread.
 */
@NullMarked
package outbox.internal.engine.common;

import org.jspecify.annotations.NullMarked;
