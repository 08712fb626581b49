package outbox.admin;

import org.jspecify.annotations.Nullable;

/**
 * Who sees payloads, and how they look.
 *
 * @param visibleTo the least role that sees them; null for nobody
 */
record PayloadRule(@Nullable Role visibleTo, Redactor redactor) {

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
