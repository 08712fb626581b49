/**
 * Payloads as JSON by Jackson 3 or Jackson 2. Depends on the core and on the Jackson that the
 * application has.
 */
@NullMarked
package outbox.jackson;

import org.jspecify.annotations.NullMarked;
