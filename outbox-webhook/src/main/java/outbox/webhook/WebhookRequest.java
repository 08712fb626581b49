package outbox.webhook;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/** A request whose body has been read. */
public final class WebhookRequest {
  private final HttpServletRequest request;
  private final byte[] body;

  WebhookRequest(HttpServletRequest request, byte[] body) {
    this.request = request;
    this.body = body;
  }

  /** The first header of the name, whatever its case; null if there is none. */
  public @Nullable String header(String name) {
    return request.getHeader(name);
  }

  /** What follows the servlet in the path, without the first slash; empty if nothing does. */
  public String path() {
    String path = request.getPathInfo();
    return path == null || path.isEmpty() ? "" : path.substring(1);
  }

  /** A copy of the body. */
  public byte[] body() {
    return body.clone();
  }
}
