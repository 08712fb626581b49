package outbox.spring.boot;

/** Where Spring Boot 3 and 4 keep the auto-configurations that those of the outbox follow. */
final class BootModules {
  static final String JDBC_4 = "org.springframework.boot.jdbc.autoconfigure.";
  static final String JDBC_3 = "org.springframework.boot.autoconfigure.jdbc.";
  static final String HIBERNATE_4 = "org.springframework.boot.hibernate.autoconfigure.";
  static final String HIBERNATE_3 = "org.springframework.boot.autoconfigure.orm.jpa.";
  static final String JACKSON_4 = "org.springframework.boot.jackson.autoconfigure.";
  static final String JACKSON2_4 = "org.springframework.boot.jackson2.autoconfigure.";
  static final String JACKSON_3 = "org.springframework.boot.autoconfigure.jackson.";
  static final String METRICS_4 = "org.springframework.boot.micrometer.metrics.autoconfigure.";
  static final String METRICS_3 = "org.springframework.boot.actuate.autoconfigure.metrics.";
  static final String OBSERVATION_4 =
      "org.springframework.boot.micrometer.observation.autoconfigure.";
  static final String OBSERVATION_3 = "org.springframework.boot.actuate.autoconfigure.observation.";

  private BootModules() {}
}
