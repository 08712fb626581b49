package outbox.spring.boot;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringBootVersion;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.util.ClassUtils;

/**
 * Refuses a Spring Boot that the starter is not for, before anything of it is missed. Uses only
 * what all lines since Boot 2 have.
 */
final class BootCheck
    implements ApplicationContextInitializer<ConfigurableApplicationContext>, Ordered {
  private static final String FOR_3 = "outbox-spring-boot3-starter";
  private static final String FOR_4 = "outbox-spring-boot-starter";

  BootCheck() {}

  @Override
  public void initialize(ConfigurableApplicationContext context) {
    ClassLoader loader = context.getClassLoader();
    check(
        SpringBootVersion.getVersion(),
        ClassUtils.isPresent("outbox.spring.boot3.OutboxHealthAutoConfiguration", loader),
        ClassUtils.isPresent("outbox.spring.boot4.OutboxHealthAutoConfiguration", loader));
  }

  @Override
  public int getOrder() {
    return Ordered.HIGHEST_PRECEDENCE;
  }

  /**
   * Throws if the starters do not go with the version.
   *
   * @param has3 whether the starter for Spring Boot 3.5 is there
   * @param has4 whether the starter for Spring Boot 4 is there
   */
  static void check(@Nullable String version, boolean has3, boolean has4) {
    String wanted = starterFor(version);
    if (version == null || (!has3 && !has4)) {
      return;
    }
    String found = has3 ? FOR_3 : FOR_4;
    if (has3 && has4) {
      throw new OutboxSetupException(
          "Both " + FOR_3 + " and " + FOR_4 + " are on the class path; an application has one.",
          wanted == null
              ? "Use " + FOR_3 + " with Spring Boot 3.5, or " + FOR_4 + " with Spring Boot 4."
              : "With Spring Boot " + version + " keep " + wanted + ".");
    }
    if (!found.equals(wanted)) {
      throw new OutboxSetupException(
          found
              + " is for Spring Boot "
              + (has3 ? "3.5" : "4")
              + ", and this application runs on Spring Boot "
              + version
              + ".",
          wanted == null
              ? "Use Spring Boot 3.5 with " + FOR_3 + ", or Spring Boot 4 with " + FOR_4 + "."
              : "Use " + wanted + " instead.");
    }
  }

  private static @Nullable String starterFor(@Nullable String version) {
    if (version == null) {
      return null;
    }
    return version.startsWith("3.5.") ? FOR_3 : version.startsWith("4.") ? FOR_4 : null;
  }
}
