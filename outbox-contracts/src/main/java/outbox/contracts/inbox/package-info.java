/**
 * What an inbox must do on its store: {@link outbox.contracts.inbox.InboxContract}. Independent of
 * the other suites.
 */
@NullMarked
package outbox.contracts.inbox;

import org.jspecify.annotations.NullMarked;
