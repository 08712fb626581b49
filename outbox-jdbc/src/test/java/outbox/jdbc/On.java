package outbox.jdbc;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import outbox.jdbc.db.Product;

/** The database that a test class runs on. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@interface On {
  Product value();

  /** What is added to the driver's URL, such as {@code a=1&b=2}. */
  String options() default "";

  /** Whether its table began as one of version 1, and is not finalized yet. */
  boolean upgraded() default false;

  /** Whether the store is reached as a user who may do no more than an application must. */
  boolean restricted() default false;

  /** Whether the store's work is done by the stored routines. */
  boolean routines() default false;
}
