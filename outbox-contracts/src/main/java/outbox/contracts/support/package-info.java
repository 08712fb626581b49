/**
 * What the suites and the tests of this project share: requirements of tests, logs, random values,
 * tables of options. Depends on the core and on JUnit.
 */
@NullMarked
package outbox.contracts.support;

import org.jspecify.annotations.NullMarked;
