package outbox.testing;

/**
 * Where the assertions of AssertJ about outboxes begin. Import {@code assertThat} statically beside
 * that of AssertJ; the compiler chooses by the argument.
 */
public final class OutboxAssertions {
  private OutboxAssertions() {}

  /** Begins assertions about the events that an outbox has stored now. */
  public static PublishedEventsAssert assertThat(PublishedEvents events) {
    return new PublishedEventsAssert(events);
  }
}
