package outbox.spring.boot;

import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.system.JavaVersion;
import org.springframework.core.env.Environment;

/** What differs between the lines of Spring Boot and can be told without their classes. */
final class BootLine {
  /** The starter that brings a mapper. */
  static final String JSON_STARTER =
      String.valueOf(SpringBootVersion.getVersion()).startsWith("3.")
          ? "spring-boot-starter-json"
          : "spring-boot-starter-jackson";

  private BootLine() {}

  /** As Spring Boot decides it for its own threads; its class for this has moved. */
  static boolean usesVirtualThreads(Environment environment) {
    return environment.getProperty("spring.threads.virtual.enabled", Boolean.class, false)
        && JavaVersion.getJavaVersion().isEqualOrNewerThan(JavaVersion.TWENTY_ONE);
  }
}
