/**
 * The kit {@code outbox.testing} in tests of Spring Boot applications: one annotation. Depends on
 * the auto-configuration and on Spring's test context; for test scope only.
 */
@NullMarked
package outbox.spring.boot.test;

import org.jspecify.annotations.NullMarked;
