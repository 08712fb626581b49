/**
 * Breaks each named SQL statement systematically. {@code ./mutants --sql} runs the tests on what
 * comes out; the tests here check the generator itself.
 */
@NullMarked
package outbox.jdbc.mutants;

import org.jspecify.annotations.NullMarked;
