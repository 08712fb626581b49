package outbox.chaos.storm;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import outbox.chaos.fault.FaultKind;
import outbox.chaos.fault.FaultLog;
import outbox.chaos.fault.Strike;
import outbox.chaos.fleet.Fleet;
import outbox.chaos.ledger.Topic;
import outbox.chaos.operator.Errand;
import outbox.chaos.operator.OldTable;
import outbox.chaos.operator.UrlDataSource;
import outbox.chaos.server.TriedServer;
import outbox.chaos.server.TriedServer.Stop;

/** What happens to the database, and so to all nodes. */
final class DatabaseFaults {
  private static final int LETTERS = 5;

  private final Fleet fleet;
  private final TriedServer server;
  private final FaultLog log;

  DatabaseFaults(Fleet fleet, TriedServer server, FaultLog log) {
    this.fleet = fleet;
    this.server = server;
    this.log = log;
  }

  /** Returns when the database is itself again. */
  void strike(FaultKind kind, Random random) throws Exception {
    Duration howLong = Duration.ofMillis(500L + random.nextInt(3000));
    Strike strike = log.begin(kind, Strike.DATABASE);
    try {
      switch (kind) {
        case RESTART_FAST -> restart(Stop.FAST, howLong);
        case RESTART_IMMEDIATE -> restart(Stop.IMMEDIATE, howLong);
        case RESTART_KILL -> restart(Stop.KILL, howLong);
        case TERMINATE -> server.killSessions();
        case READ_ONLY -> readOnly(howLong);
        case LOCK_TABLE -> lockTable(howLong);
        case OLD_SNAPSHOT -> oldSnapshot(howLong.plusSeconds(3));
        case DISK_FULL -> fillDisk(howLong);
        case FAILOVER -> failOver(howLong);
        case CLOCK -> moveClock(random, howLong);
        case KILL_PURGE -> sendTwice(Errand.PURGE, random);
        case KILL_REPLAY -> replay(random);
        case KILL_MIGRATION -> migrate(random);
        default -> throw new IllegalArgumentException(kind.label() + " is not done to a database");
      }
    } finally {
      strike.over();
    }
  }

  private void restart(Stop how, Duration away) throws InterruptedException {
    server.stop(how);
    sleep(away.dividedBy(2));
    server.start();
  }

  private void readOnly(Duration howLong) throws Exception {
    server.readOnly(true);
    sleep(howLong);
    server.readOnly(false);
  }

  private void lockTable(Duration howLong) throws Exception {
    try (Connection connection = server.connect(TriedServer.MAIN)) {
      server.lockTable(connection);
      sleep(howLong);
    }
  }

  private void oldSnapshot(Duration howLong) throws SQLException, InterruptedException {
    try (Connection connection = server.connect(TriedServer.MAIN)) {
      server.takeSnapshot(connection);
      sleep(howLong);
    }
  }

  /** A server that ends because of that is started again. */
  private void fillDisk(Duration howLong) throws Exception {
    try {
      server.data().fill();
      sleep(howLong);
    } finally {
      server.data().free();
      server.start();
    }
  }

  private void failOver(Duration howLong) throws Exception {
    server.failOver(howLong);
    fleet.retarget(server.port());
    fleet.nodes().forEach(node -> node.proxy().cut());
  }

  /** Forward or back by some seconds, and to the right time again. */
  private void moveClock(Random random, Duration howLong) throws Exception {
    int millis = (random.nextBoolean() ? 1 : -1) * (2000 + random.nextInt(3000));
    server.clock().move(Duration.ofMillis(millis));
    try {
      long moved = server.timeOfDay() - System.currentTimeMillis();
      if (Math.abs(moved - millis) > 1000) {
        throw new IllegalStateException("moved by " + moved + " ms instead of " + millis);
      }
      sleep(howLong);
    } finally {
      server.clock().move(Duration.ZERO);
    }
  }

  /** The first of them is killed in the middle; the second does what is left. */
  private void sendTwice(Errand errand, Random random) throws Exception {
    String url = server.operatorUrl(TriedServer.MAIN);
    errand.runAndKill(url, random.nextInt(800));
    errand.run(url);
  }

  private void replay(Random random) throws Exception {
    for (int i = 0; i < LETTERS; i++) {
      fleet.outboxNodes().forEach(node -> node.tell("poison " + Topic.LETTER.label()));
    }
    sleep(Duration.ofSeconds(1));
    sendTwice(Errand.REPLAY, random);
  }

  private void migrate(Random random) throws Exception {
    DataSource main = new UrlDataSource(server.operatorUrl(TriedServer.MAIN));
    OldTable.create(main, server.name());
    sendTwice(Errand.MIGRATE, random);
    OldTable.require(main);
    OldTable.drop(main);
  }

  private static void sleep(Duration howLong) throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(howLong.toMillis());
  }
}
