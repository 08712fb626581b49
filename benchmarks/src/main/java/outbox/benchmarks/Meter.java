package outbox.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** Reads clocks, CPU times and the WAL position at the start and at the end of a measurement. */
final class Meter {
  private static final OperatingSystemMXBean JVM =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  private final Server server;
  private final Reading start;

  private Meter(Server server) {
    this.server = server;
    this.start = read();
  }

  static Meter start(Server server) {
    return new Meter(server);
  }

  Usage stop(long events) {
    Reading end = read();
    return new Usage(
        events,
        (end.nanos - start.nanos) / 1e9,
        end.serverCpu - start.serverCpu,
        (end.jvmNanos - start.jvmNanos) / 1e3,
        end.wal - start.wal);
  }

  private Reading read() {
    long wal = server.logPosition();
    return new Reading(
        System.nanoTime(), JVM.getProcessCpuTime(), server.cpu().microseconds(), wal);
  }

  private record Reading(long nanos, long jvmNanos, double serverCpu, long wal) {}
}
