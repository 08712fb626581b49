package outbox.benchmarks;

import java.util.Locale;

/** What every scenario works with. */
record Lab(Database database, Server server, Mode mode) {
  /** As many as publish at once in the end-to-end runs. */
  static final int PUBLISHERS = 16;

  /** The same for every contestant: the publishers, and a few for whatever runs behind them. */
  static final int POOL_SIZE = PUBLISHERS + 4;

  void say(String line) {
    System.out.println(line);
  }

  void say(String format, Object... values) {
    System.out.println(String.format(Locale.ROOT, format, values));
  }
}
