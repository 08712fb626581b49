package outbox.admin.data;

import java.time.Instant;

/**
 * A process that holds leases.
 *
 * @param owner its name: what its owner tokens have in common
 * @param leases how many messages it holds, of those 5,000 of all whose lease ends first
 * @param oldest when the oldest of them was stored
 * @param nextExpiry when the first of its leases ends, unless it is renewed
 */
public record NodeRow(String owner, int leases, Instant oldest, Instant nextExpiry) {}
