/** A sample application, compiled and tested unchanged on Spring Boot 3.5 and 4. */
@NullMarked
package shop;

import org.jspecify.annotations.NullMarked;
