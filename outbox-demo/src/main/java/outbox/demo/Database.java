package outbox.demo;

import java.io.IOException;
import java.nio.file.Path;
import javax.sql.DataSource;

/** The database that the demo runs on, started by it and ended with it. */
interface Database extends AutoCloseable {
  String name();

  DataSource dataSource();

  /** Starts a second node on this database; see {@link DoomedNode}. */
  SecondNode startSecondNode(int orders, DoomedNode.Witness witness) throws IOException;

  @Override
  void close() throws IOException;

  /** A node that can be made to crash. */
  interface SecondNode extends AutoCloseable {
    String name();

    boolean isAlive();

    /** The file that it logs to. */
    Path log();

    /** How {@link #crash} is done, as a sentence. */
    String crashMethod();

    void crash() throws InterruptedException;

    /** Leaves nothing behind, crashed or not. */
    @Override
    void close();
  }
}
