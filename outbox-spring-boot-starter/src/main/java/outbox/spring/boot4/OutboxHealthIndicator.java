package outbox.spring.boot4;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
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
