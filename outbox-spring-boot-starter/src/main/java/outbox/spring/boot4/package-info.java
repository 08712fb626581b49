/**
 * What is different in Spring Boot 4: the classes of health. Everything else is in {@code
 * outbox.spring.boot}, which both starters share.
 */
@NullMarked
package outbox.spring.boot4;

import org.jspecify.annotations.NullMarked;
