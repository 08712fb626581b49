/**
 * The outbox over HTTP, for those who operate it: a REST API, metrics, health and the dashboard as
 * one servlet that mounts anywhere, and a small server for those who have no container. What is
 * asked of the databases is the business of {@code outbox.admin.data}; here is who may ask, how a
 * question is understood, and how the answer looks.
 */
@NullMarked
package outbox.admin;

import org.jspecify.annotations.NullMarked;
