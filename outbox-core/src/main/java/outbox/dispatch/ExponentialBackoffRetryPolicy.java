package outbox.dispatch;

/** Doubles the delay with each attempt up to a limit, times a random factor from 0.5 to 1.5. */
public final class ExponentialBackoffRetryPolicy implements RetryPolicy {
  private static final double JITTER = 0.5;

  private final long baseDelayMs;
  private final long maxDelayMs;

  public ExponentialBackoffRetryPolicy(long baseDelayMs, long maxDelayMs) {
    if (baseDelayMs < 1) {
      throw new IllegalArgumentException("baseDelayMs (" + baseDelayMs + ") must be at least 1");
    }
    if (maxDelayMs < baseDelayMs) {
      throw new IllegalArgumentException(
          "maxDelayMs (" + maxDelayMs + ") must be at least baseDelayMs (" + baseDelayMs + ")");
    }
    this.baseDelayMs = baseDelayMs;
    this.maxDelayMs = maxDelayMs;
  }

  @Override
  public long computeDelayMs(int attempts) {
    return Delays.scattered(Delays.doubled(baseDelayMs, maxDelayMs, attempts), JITTER);
  }
}
