package outbox.chaos.ledger;

/**
 * One line of the ledger.
 *
 * @param at milliseconds of the {@link outbox.chaos.clock.SteadyClock}
 * @param subject the listener or workload
 * @param id of the event, message or join
 * @param detail depends on the fact; may be empty
 */
public record Entry(long at, String node, Fact fact, String subject, String id, String detail) {}
