package shop;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** A shop as a new user would write it: JPA, listeners, an inbox, a join, a schedule. */
@SpringBootApplication
public class ShopApplication {

  /** Starts the shop. */
  public static void main(String[] args) {
    SpringApplication.run(ShopApplication.class, args);
  }
}
