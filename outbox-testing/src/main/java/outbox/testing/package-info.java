/**
 * For tests of applications: {@link outbox.testing.TestOutbox} and {@link outbox.testing.TestInbox}
 * run in memory, {@link outbox.testing.OutboxDriver} runs the listeners of any outbox when the test
 * says so, {@link outbox.testing.PublishedEvents} shows what was published, {@link
 * outbox.testing.OutboxAssertions} checks it, and {@link outbox.testing.OutboxExtension} gives them
 * to test methods. {@code outbox.testing.memory} has the stores. Depends on the core; JUnit and
 * AssertJ are optional, and only the extension and the assertions need them.
 */
@NullMarked
package outbox.testing;

import org.jspecify.annotations.NullMarked;
