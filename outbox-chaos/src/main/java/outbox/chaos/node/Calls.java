package outbox.chaos.node;

import outbox.chaos.ledger.Fact;
import outbox.chaos.ledger.LedgerWriter;

/** Writes down the begin and the end of each call of a listener. Thread-safe. */
final class Calls {
  private final LedgerWriter ledger;
  private final CrashPoint afterHandler;

  Calls(LedgerWriter ledger, CrashPoint afterHandler) {
    this.ledger = ledger;
    this.afterHandler = afterHandler;
  }

  LedgerWriter ledger() {
    return ledger;
  }

  void run(String listener, String id, Body body) throws Exception {
    run(listener, id, "", body);
  }

  void run(String listener, String id, String detail, Body body) throws Exception {
    ledger.write(Fact.START, listener, id, detail);
    try {
      body.run();
    } catch (Throwable e) {
      ledger.note(Fact.THREW, listener, id, detail);
      throw e;
    }
    ledger.write(Fact.END, listener, id, detail);
    afterHandler.pass();
  }

  /** Whether this is the first call of the id in any process; asked inside of a call. */
  boolean isFirst(String id) throws Exception {
    return ledger.calls(id) <= 1;
  }

  /** What a listener does between its two entries. */
  @FunctionalInterface
  interface Body {
    void run() throws Exception;
  }
}
