package outbox.jdbc.mutants;

/**
 * One way to break a statement.
 *
 * @param operator what is done
 * @param fragment to what it is done; the second of equal fragments ends with (2)
 * @param text the broken statement
 */
public record SqlMutation(String operator, String fragment, String text) {}
