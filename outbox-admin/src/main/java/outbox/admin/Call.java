package outbox.admin;

import java.util.Map;

/**
 * A request that was understood: who, where, with what.
 *
 * @param path the variable parts of the path by name
 */
record Call(Caller caller, Map<String, String> path, Arguments query, Arguments body) {

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
