package outbox.benchmarks;

import java.util.function.Consumer;
import javax.sql.DataSource;
import outbox.EventEnvelope;

/** The contestants. */
enum Kind {
  INSERT_ONLY("raw insert only") {
    @Override
    Contestant start(
        PlainSql sql,
        DataSource dataSource,
        Consumer<EventEnvelope> listener,
        Completion completion) {
      return new InsertOnly(sql, dataSource);
    }
  },
  HAND_WRITTEN("hand-written hot path") {
    @Override
    Contestant start(
        PlainSql sql,
        DataSource dataSource,
        Consumer<EventEnvelope> listener,
        Completion completion) {
      return new HandWritten(sql, dataSource, listener, completion);
    }
  },
  LIBRARY("this library") {
    @Override
    Contestant start(
        PlainSql sql,
        DataSource dataSource,
        Consumer<EventEnvelope> listener,
        Completion completion) {
      return new Library(dataSource, listener, completion);
    }
  };

  private final String label;

  Kind(String label) {
    this.label = label;
  }

  String label() {
    return label;
  }

  abstract Contestant start(
      PlainSql sql, DataSource dataSource, Consumer<EventEnvelope> listener, Completion completion);
}
