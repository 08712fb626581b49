/**
 * The outbox in Spring's transactions. Needs spring-tx and spring-jdbc, nothing of Spring Boot, and
 * runs on Spring Framework 6.2 and 7.
 */
@NullMarked
package outbox.spring;

import org.jspecify.annotations.NullMarked;
