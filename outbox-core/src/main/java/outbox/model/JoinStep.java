package outbox.model;

import java.time.Instant;

/** A message as a member of a join. */
public record JoinStep(
    JoinIdentifier joinId, MessageId messageId, StepStatus status, Instant createdAt) {}
