package outbox.chaos.ledger;

import java.util.List;
import java.util.Locale;

/** What is published, and what must become of it. */
public enum Topic {
  PLAIN,
  /** Two listeners, of which the second fails now and then. */
  SEVERAL,
  /** A listener whose effect is part of the completion's transaction. */
  EFFECT,
  SCHEDULED,
  /** Handled for longer than others, so that faults hit the listener. */
  SLOW,
  /** A statement of the transaction fails, and the application catches that and commits. */
  SWALLOWED,
  /** Committed about when the lease of the insert ends. */
  EDGE,
  /** With an idempotency key that several processes use. */
  KEYED,
  /** A step of a join. */
  STEP,
  /** A step that fails for good. */
  BAD_STEP,
  /** The continuation of a join; the detail of its entries is the join's group. */
  JOINED,
  /** A message that workers claim by hand. */
  QUEUE,
  /** An event of one of many databases. */
  TENANT,
  /** Its first call blocks and ignores interrupts. */
  HANG,
  /** Its first call throws an Error. */
  ERROR,
  /** Its first call exhausts the memory. */
  MEMORY,
  /** Each call halts its process. */
  HALT,
  /** Its first call fails for good; an operator replays it. */
  LETTER;

  /** The name of the event type. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Each of them must have handled every committed event. */
  public List<String> listeners() {
    return this == SEVERAL ? List.of("several.first", "several.second") : List.of(label());
  }

  /** Whether an event of this topic may end dead. */
  public boolean mayDie() {
    return this == BAD_STEP || this == HALT || this == HANG || this == LETTER || this == QUEUE;
  }

  /** Whether an event of this topic never ends well. */
  public boolean mustDie() {
    return this == BAD_STEP || this == HALT;
  }

  public static Topic of(String label) {
    return valueOf(label.toUpperCase(Locale.ROOT));
  }
}
