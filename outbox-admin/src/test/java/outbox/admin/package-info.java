/** The API and the pages, asked over HTTP on real databases. */
@NullMarked
package outbox.admin;

import org.jspecify.annotations.NullMarked;
