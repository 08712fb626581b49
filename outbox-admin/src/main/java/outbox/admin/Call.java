package outbox.admin;

import java.util.Map;

/**
 * A request that was understood: who, where, with what.
 *
 * @param context the path of the context that the servlet is in; empty for the root
 * @param path the variable parts of the path by name
 */
record Call(
    Caller caller, String context, Map<String, String> path, Arguments query, Arguments body) {

  /** Answers a call. */
  @FunctionalInterface
  interface Handler {
    Answer answer(Call call);
  }

  /** A variable part of the path. */
  String pathText(String name, int maxLength) {
    return new Arguments("part of the address", path).requiredText(name, maxLength);
  }
}
