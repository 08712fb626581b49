package outbox.chaos.ledger;

/** With what a node ends by itself; anything else is a defect. */
public final class Exit {
  /** It halted because it was told to, or an event made it. */
  public static final int HALTED = 77;

  /** Its ledger failed: the account of such a run is worthless. */
  public static final int LEDGER_LOST = 78;

  private Exit() {}
}
