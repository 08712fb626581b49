/**
 * Messages and figures as JSON, the same over HTTP and on the command line. Knows what {@code
 * outbox.admin.data} shows; knows nothing of HTTP.
 */
@NullMarked
package outbox.admin.json;

import org.jspecify.annotations.NullMarked;
