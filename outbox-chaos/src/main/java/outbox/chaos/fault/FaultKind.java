package outbox.chaos.fault;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** Everything that is done to nodes, networks and databases. */
public enum FaultKind {
  KILL(Lane.NODE, "kill -9 of a node"),
  HALT_AFTER_HANDLER(Lane.NODE, "halt between the handler's end and its completion"),
  HALT_AFTER_COMMIT(Lane.NODE, "halt between a commit and the hand-over"),
  PAUSE(Lane.NODE, "SIGSTOP past the lease, then SIGCONT"),
  CUT(Lane.NODE, "all connections of a node cut"),
  DELAY(Lane.NODE, "a slow network"),
  BLACK_HOLE(Lane.NODE, "a network that drops everything for a while"),
  SILENCE(Lane.NODE, "connections that go silent for ever"),
  CUT_BEFORE_COMMIT(Lane.NODE, "cut at COMMIT, before the server gets it"),
  CUT_AFTER_COMMIT(Lane.NODE, "cut at COMMIT, after the server got it"),
  EXHAUST_POOL(Lane.NODE, "every connection of the pool taken"),
  NODE_CLOCK(Lane.NODE, "the clock of a node moved"),
  HANG(Lane.NODE, "a listener that blocks and ignores interrupts"),
  ERROR(Lane.NODE, "a listener that throws an Error"),
  MEMORY(Lane.NODE, "a listener that exhausts the memory"),
  HALT(Lane.NODE, "an event that halts each process that handles it"),
  RESTART_FAST(Lane.DATABASE, "database restarted, fast"),
  RESTART_IMMEDIATE(Lane.DATABASE, "database restarted, immediate"),
  RESTART_KILL(Lane.DATABASE, "database killed by kill -9 and started"),
  TERMINATE(Lane.DATABASE, "all sessions terminated by the server"),
  READ_ONLY(Lane.DATABASE, "database read-only for a while"),
  LOCK_TABLE(Lane.DATABASE, "the table of events locked"),
  OLD_SNAPSHOT(Lane.DATABASE, "a transaction that keeps an old snapshot"),
  DISK_FULL(Lane.DATABASE, "no space left for the database"),
  FAILOVER(Lane.DATABASE, "failover to a synchronous standby"),
  KILL_PURGE(Lane.DATABASE, "kill -9 inside a purge"),
  KILL_REPLAY(Lane.DATABASE, "kill -9 inside a replay of dead letters"),
  KILL_MIGRATION(Lane.DATABASE, "kill -9 inside a migration"),
  CLOCK(Lane.DATABASE, "the clock of the database moved");

  /** Two lanes run beside each other, one fault at a time in each. */
  public enum Lane {
    NODE,
    DATABASE
  }

  private final Lane lane;
  private final String meaning;

  FaultKind(Lane lane, String meaning) {
    this.lane = lane;
    this.meaning = meaning;
  }

  public Lane lane() {
    return lane;
  }

  public String meaning() {
    return meaning;
  }

  /** As it is written on the command line. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The kind of a label. */
  public static FaultKind of(String label) {
    return Arrays.stream(values())
        .filter(kind -> kind.label().equals(label))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "fault (" + label + ") must be one of " + labels() + "; see --help"));
  }

  public static String labels() {
    return Arrays.stream(values()).map(FaultKind::label).collect(Collectors.joining(", "));
  }
}
