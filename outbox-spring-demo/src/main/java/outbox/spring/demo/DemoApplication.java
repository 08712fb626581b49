package outbox.spring.demo;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Starts the demo. */
@SpringBootApplication
public class DemoApplication {

  /** Made by Spring. */
  DemoApplication() {}

  public static void main(String[] args) {
    SpringApplication.run(DemoApplication.class, args);
  }
}
