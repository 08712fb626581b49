/**
 * The outbox in an application on Spring Boot 3.5 or 4: auto-configuration, properties, listener
 * methods, life cycle, health, metrics and observations. What an application types is public; the
 * rest is not.
 */
@NullMarked
package outbox.spring.boot;

import org.jspecify.annotations.NullMarked;
