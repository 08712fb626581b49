/**
 * Webhooks into the inbox: a servlet that checks who sent them and answers after the commit.
 * Depends on the core and on the servlet API of the container.
 */
@NullMarked
package outbox.webhook;

import org.jspecify.annotations.NullMarked;
