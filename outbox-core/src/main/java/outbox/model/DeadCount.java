package outbox.model;

/**
 * How many dead events there are.
 *
 * @param exact false if there may be more that were not looked at
 */
public record DeadCount(int number, boolean exact) {}
