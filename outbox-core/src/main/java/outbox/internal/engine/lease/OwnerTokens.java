package outbox.internal.engine.lease;

import static java.util.Objects.requireNonNull;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import outbox.InvalidSettingException;
import outbox.internal.text.Ulid;

/**
 * Owner tokens of one process: one for leased inserts, a new one per claim, all with a common
 * start, so that a zombie of the same process is fenced too and yet the process knows its own.
 */
public final class OwnerTokens {
  private static final int MAX_NODE_LENGTH = 20;

  private final String prefix;
  private final String process;
  private final AtomicLong claims = new AtomicLong();

  public OwnerTokens(String node) {
    String name = node.length() > MAX_NODE_LENGTH ? node.substring(0, MAX_NODE_LENGTH) : node;
    this.prefix = name + "." + Ulid.next().substring(16) + ".";
    this.process = prefix + "0";
  }

  /** Refuses a name that would make tokens hard to read or to split. */
  public static String checkedNode(String node) {
    if (!requireNonNull(node, "node").matches("[A-Za-z0-9_-]+")) {
      throw new InvalidSettingException(
          "node (" + node + ") must consist of letters, digits, '_' and '-'", "node");
    }
    return node;
  }

  public String ofProcess() {
    return process;
  }

  String ofNextClaim() {
    return prefix + Long.toString(claims.incrementAndGet(), Character.MAX_RADIX);
  }

  public boolean isOurs(@Nullable String owner) {
    return owner != null && owner.startsWith(prefix);
  }
}
