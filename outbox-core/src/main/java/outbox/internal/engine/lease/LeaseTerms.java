package outbox.internal.engine.lease;

import java.time.Duration;

/**
 * By which tokens and for how long this process holds the rows of a store. Thread-safe.
 *
 * @param leasing whether the store knows leases
 */
public record LeaseTerms(OwnerTokens tokens, Duration duration, boolean leasing) {

  /** The token of rows that are inserted with a lease. */
  public String processToken() {
    return tokens.ofProcess();
  }

  /** A token for the next claim. */
  public String claimToken() {
    return leasing ? tokens.ofNextClaim() : tokens.ofProcess();
  }

  public long deadlineFrom(long nanos) {
    return nanos + duration.toNanos();
  }
}
