package outbox.chaos;

import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import outbox.chaos.account.Account;
import outbox.chaos.account.Findings;
import outbox.chaos.clock.Clocks;
import outbox.chaos.fault.FaultKind;
import outbox.chaos.fault.FaultLog;
import outbox.chaos.fault.Strike;
import outbox.chaos.fleet.Fleet;
import outbox.chaos.fleet.Usage;
import outbox.chaos.ledger.Ledger;
import outbox.chaos.ledger.LedgerWriter;
import outbox.chaos.node.Pace;
import outbox.chaos.server.TriedServer;
import outbox.chaos.storm.Scene;
import outbox.chaos.storm.Storm;

/** All rounds on one database. */
final class Trial {
  private static final Duration WARM_UP = Duration.ofSeconds(5);
  private static final Duration CALM = Duration.ofSeconds(8);
  private static final Duration STORM = Duration.ofSeconds(28);

  /** About what a round takes with its account. */
  private static final Duration ROUND = CALM.plus(STORM).plusSeconds(8);

  /** Four lives of a poisonous event, each with a restart and a lease. */
  private static final Duration QUIET_LIMIT =
      Pace.LEASE.plus(Pace.POLL_INTERVAL).plusSeconds(5).multipliedBy(4);

  private static final int MOST_THREADS = 150;
  private static final int MOST_SESSIONS =
      2 * (3 * Pace.POOL_SIZE + 2 * (Pace.SHARED_CONNECTIONS + 2 * TriedServer.TENANTS.size()));

  private final Options options;
  private final TriedServer server;
  private final Ledger ledger;
  private final String ledgerUrl;
  private final Path folder;
  private final Clocks clocks;
  private final Totals totals;
  private final FaultLog log = new FaultLog();

  Trial(Options options, TriedServer server, String ledgerUrl, Path folder, Clocks clocks) {
    this.options = options;
    this.server = server;
    this.ledgerUrl = ledgerUrl;
    this.ledger = new Ledger(ledgerUrl);
    this.folder = folder;
    this.clocks = clocks;
    this.totals = new Totals(server.name());
  }

  /** Plays one round, and more while there is time for one and nothing is wrong. */
  Totals run() throws Exception {
    Random random = new Random(options.seed());
    long end = System.nanoTime() + options.time().toNanos();
    Tables.create(server);
    ledger.clear();
    Random nodes = new Random(random.nextLong());
    try (SessionWatch sessions =
            new SessionWatch(server, LedgerWriter.start(Strike.DATABASE, ledgerUrl));
        Fleet fleet = Fleet.start(server, ledgerUrl, folder, log, options.rate(), clocks, nodes)) {
      Scene scene = new Scene(fleet, server, log);
      for (FaultKind kind : options.faults()) {
        if (!scene.canBe(kind)) {
          totals.notTried.add(kind);
        }
      }
      Storm storm = new Storm(scene);
      warmUp(fleet);
      do {
        round(fleet, storm, new Random(random.nextLong()));
        checkBounds(fleet.most(), sessions.most());
      } while (System.nanoTime() + ROUND.toNanos() < end
          && totals.violations.isEmpty()
          && log.surprises().isEmpty());
    }
    totals.violations.addAll(log.surprises());
    totals.faults.putAll(log.counts());
    return totals;
  }

  /** What cold processes do on a busy machine is not judged: they may need longer than a lease. */
  private void warmUp(Fleet fleet) throws Exception {
    fleet.awaitReady();
    fleet.publish();
    TimeUnit.MILLISECONDS.sleep(WARM_UP.toMillis());
    fleet.rest();
    awaitQuiet();
    Account.clear(server, ledger);
    log.nextRound();
  }

  private void round(Fleet fleet, Storm storm, Random random) throws Exception {
    long began = System.nanoTime();
    fleet.publish();
    TimeUnit.MILLISECONDS.sleep(CALM.toMillis());
    int before = Totals.sum(log.counts());
    totals.violations.addAll(storm.rage(STORM, options.faults(), random));
    fleet.rest();
    Duration recovery = awaitQuiet();
    TimeUnit.MILLISECONDS.sleep(500);
    totals.recovered(recovery, log.strikes().stream().anyMatch(Trial::isPoison));
    Findings findings = Account.close(server, ledger, log.strikes());
    totals.add(findings);
    System.out.printf(
        "%s round %d: %d events, %d faults, %d repetitions, %d stalls, quiet after %.1f s,"
            + " %d violations, took %d s%n",
        server.name(),
        totals.rounds,
        Totals.sum(findings.events()),
        Totals.sum(log.counts()) - before,
        Totals.sum(findings.repetitions()),
        findings.stalls(),
        recovery.toMillis() / 1000.0,
        totals.violations.size(),
        (System.nanoTime() - began) / 1_000_000_000);
    if (totals.violations.isEmpty()) {
      Account.clear(server, ledger);
      log.nextRound();
    }
  }

  /** Broken connections may linger in the server beside the new ones, but not many times. */
  private void checkBounds(Usage usage, long sessions) {
    totals.usage = usage;
    totals.sessions = sessions;
    if (usage.threads() > MOST_THREADS) {
      totals.violations.add("THREADS: a node had " + usage.threads());
    }
    if (sessions > MOST_SESSIONS) {
      totals.violations.add("SESSIONS: the database had " + sessions);
    }
  }

  private static boolean isPoison(Strike strike) {
    return strike.kind() == FaultKind.HALT;
  }

  /** Waits until nothing is left to be handled, or for so long that it is stuck. */
  private Duration awaitQuiet() throws InterruptedException, SQLException {
    long start = System.nanoTime();
    while (true) {
      Duration waited = Duration.ofNanos(System.nanoTime() - start);
      long live = Account.live(server);
      if (live == 0) {
        return waited;
      }
      if (waited.compareTo(QUIET_LIMIT) > 0) {
        totals.violations.add("STUCK: " + live + " messages are not handled after " + waited);
        return waited;
      }
      TimeUnit.MILLISECONDS.sleep(100);
    }
  }
}
