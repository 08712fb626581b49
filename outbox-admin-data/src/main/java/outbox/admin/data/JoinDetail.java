package outbox.admin.data;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.model.Join;
import outbox.model.StepStatus;

/**
 * All about one join.
 *
 * @param members its steps, those that are missing first, {@link #MAX_MEMBERS} at the most
 * @param unattached steps that it expects and that no message was attached for; if the join has
 *     more steps than {@code members} shows this counts those too
 * @param waits the messages that wait for it
 */
public record JoinDetail(Join join, List<Member> members, int unattached, List<Wait> waits) {
  /** Steps that are listed at the most: {@value}. */
  public static final int MAX_MEMBERS = 500;

  /**
   * A step.
   *
   * @param message null if the message has been removed since
   */
  public record Member(
      String messageId, StepStatus status, Instant attachedAt, @Nullable EventRow message) {}

  /**
   * A message that waits for the join.
   *
   * @param message null if the message has been removed since
   */
  public record Wait(String messageId, @Nullable EventRow message) {}
}
