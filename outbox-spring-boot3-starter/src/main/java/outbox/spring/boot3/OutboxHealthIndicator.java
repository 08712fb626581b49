package outbox.spring.boot3;

import org.springframework.boot.actuate.health.AbstractHealthIndicator;
import org.springframework.boot.actuate.health.Health;
import outbox.spring.boot.OutboxHealth;

/** Reports the outbox's health to Actuator. */
final class OutboxHealthIndicator extends AbstractHealthIndicator {
  private final OutboxHealth health;

  OutboxHealthIndicator(OutboxHealth health) {
    super("the outbox cannot be asked");
    this.health = health;
  }

  @Override
  protected void doHealthCheck(Health.Builder builder) {
    OutboxHealth.Report report = health.report();
    builder.status(report.status()).withDetails(report.details());
  }
}
