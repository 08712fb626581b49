package outbox.spring.boot;

import java.util.Set;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/** Down while the database does not answer the engine; out of service when it is stopped. */
final class OutboxHealthIndicator extends AbstractHealthIndicator {
  private final OutboxLifecycle lifecycle;
  private final OutageWatch watch;

  OutboxHealthIndicator(OutboxLifecycle lifecycle, OutageWatch watch) {
    super("the outbox cannot be asked");
    this.lifecycle = lifecycle;
    this.watch = watch;
  }

  @Override
  protected void doHealthCheck(Health.Builder builder) {
    Set<String> down = watch.down();
    if (!down.isEmpty()) {
      builder.down().withDetail("databaseDownFor", down);
    } else if (lifecycle.isRunning()) {
      builder.up();
    } else {
      builder.outOfService();
    }
  }
}
