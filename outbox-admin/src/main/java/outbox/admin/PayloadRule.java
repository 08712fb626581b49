package outbox.admin;

import org.jspecify.annotations.Nullable;

/**
 * Who sees what messages and joins carry, and how it looks: payloads, headers, metadata.
 *
 * @param visibleTo the least role that sees them; null for none
 */
record PayloadRule(@Nullable Role visibleTo, Redactor redactor) {
  /** Hides everything from those who see nothing. */
  private static final Redactor HIDING = new Redactor((topic, payload) -> null);

  /** What the caller gets to see. */
  Redactor shownTo(Caller caller) {
    return visibleTo(caller) ? redactor : HIDING;
  }

  boolean visibleTo(Caller caller) {
    return visibleTo != null && caller.may(visibleTo);
  }

  /**
   * Whether the call asks for a payload.
   *
   * @throws Problem if it asks for one and must not
   */
  boolean allows(Call call) {
    boolean asked = call.query().flag("payload");
    if (asked && !visibleTo(call.caller())) {
      throw Problem.forbidden("Payloads are not shown to you here.");
    }
    return asked;
  }
}
