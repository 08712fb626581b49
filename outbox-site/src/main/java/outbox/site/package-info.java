/**
 * Makes a site of the repository's Markdown pages and of the Javadoc of its published modules: HTML
 * with navigation and search that needs no server. Knows no class of the library.
 */
@NullMarked
package outbox.site;

import org.jspecify.annotations.NullMarked;
