/**
 * Text that is checked or made safe: what every database can store ({@link
 * outbox.internal.text.StorableText}, {@link outbox.internal.text.EnvelopeRules}), what may stand
 * in a log line ({@link outbox.internal.text.LogText}), and identifiers that sort by time. For the
 * modules of this library. Depends on the JDK only; thread-safe.
 */
@NullMarked
package outbox.internal.text;

import org.jspecify.annotations.NullMarked;
