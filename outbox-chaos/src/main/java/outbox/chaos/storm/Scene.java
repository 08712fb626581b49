package outbox.chaos.storm;

import java.util.List;
import java.util.Set;
import outbox.chaos.fault.FaultKind;
import outbox.chaos.fault.FaultLog;
import outbox.chaos.fleet.Fleet;
import outbox.chaos.server.TriedServer;

/** On what faults act. */
public record Scene(Fleet fleet, TriedServer server, FaultLog log) {

  /** Those that cannot be done here, for whatever reason. */
  public boolean canBe(FaultKind kind) {
    return switch (kind) {
      case DISK_FULL -> server.data().isLimited();
      case FAILOVER -> server.canFailOver();
      case CLOCK, NODE_CLOCK -> server.clock().isMovable();
      default -> true;
    };
  }

  /** Those of the choice that can be done here. */
  public List<FaultKind> possible(Set<FaultKind> chosen, FaultKind.Lane lane) {
    return chosen.stream().filter(kind -> kind.lane() == lane && canBe(kind)).toList();
  }
}
