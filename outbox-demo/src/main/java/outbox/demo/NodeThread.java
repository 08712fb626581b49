package outbox.demo;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import javax.sql.DataSource;
import outbox.demo.Database.SecondNode;
import outbox.demo.DoomedNode.Witness;

/**
 * The second node inside this process, for a database that no other process can reach. A crash is
 * what the database would see of one: its connections break, and none of its threads gets anything
 * done any more.
 */
final class NodeThread implements SecondNode {
  private static final Logger LOG = System.getLogger(NodeThread.class.getName());

  private final SeverableDataSource connections;
  private final Thread thread;

  private NodeThread(SeverableDataSource connections, Thread thread) {
    this.connections = connections;
    this.thread = thread;
  }

  static NodeThread start(DataSource dataSource, int orders, Witness witness) {
    SeverableDataSource connections = new SeverableDataSource(dataSource);
    Thread thread = new Thread(() -> run(connections, orders, witness), DoomedNode.NAME);
    thread.setDaemon(true);
    thread.start();
    return new NodeThread(connections, thread);
  }

  private static void run(SeverableDataSource connections, int orders, Witness witness) {
    try {
      DoomedNode.run(connections, orders, Play.LEASE, witness);
    } catch (Exception e) {
      LOG.log(Level.WARNING, "second node ended", e);
    }
  }

  @Override
  public String name() {
    return "node B, as threads of this process: no other could reach H2";
  }

  @Override
  public boolean isAlive() {
    return thread.isAlive();
  }

  @Override
  public Path log() {
    return Demo.LOG;
  }

  @Override
  public String crashMethod() {
    return "its database connections are cut for good, its threads are abandoned";
  }

  @Override
  public void crash() {
    connections.sever();
  }

  /**
   * The threads stay abandoned: they are daemons, and ending them would tidy up after the crash.
   */
  @Override
  public void close() {
    connections.sever();
  }
}
