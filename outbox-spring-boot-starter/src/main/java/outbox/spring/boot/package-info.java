/**
 * The outbox in a Spring Boot 4 application: auto-configuration, properties, listener methods, life
 * cycle, health, metrics and observations. What an application types is public; the rest is not.
 */
@NullMarked
package outbox.spring.boot;

import org.jspecify.annotations.NullMarked;
