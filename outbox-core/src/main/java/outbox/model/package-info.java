/** What a store gives back: the stored event and its status codes. */
@NullMarked
package outbox.model;

import org.jspecify.annotations.NullMarked;
