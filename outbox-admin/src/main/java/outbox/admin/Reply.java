package outbox.admin;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** Sends answers, each with the headers that keep a browser from making more of it. */
final class Reply {
  private Reply() {}

  static void send(HttpServletResponse response, Answer answer) throws IOException {
    guard(response, "default-src 'none'; frame-ancestors 'none'");
    response.setHeader("Cache-Control", "no-store");
    if (answer.status() == HttpServletResponse.SC_UNAUTHORIZED) {
      response.setHeader("WWW-Authenticate", "Bearer realm=\"outbox\"");
    }
    response.setStatus(answer.status());
    write(response, answer.contentType(), answer.bytes());
  }

  static void send(HttpServletRequest request, HttpServletResponse response, Pages.Page page)
      throws IOException {
    guard(response, Pages.CONTENT_SECURITY_POLICY);
    response.setHeader("Cache-Control", "no-cache");
    response.setHeader("ETag", page.tag());
    if (page.tag().equals(request.getHeader("If-None-Match"))) {
      response.setStatus(HttpServletResponse.SC_NOT_MODIFIED);
    } else {
      write(response, page.contentType(), page.content());
    }
  }

  static void options(HttpServletResponse response, String allowed) {
    guard(response, "default-src 'none'");
    response.setHeader("Allow", allowed);
    response.setStatus(HttpServletResponse.SC_NO_CONTENT);
  }

  static Problem notAllowed(HttpServletResponse response, String allowed) {
    response.setHeader("Allow", allowed);
    return new Problem(
        405, "Method not allowed", "This address answers to: " + allowed + ".", null);
  }

  private static void guard(HttpServletResponse response, String policy) {
    response.setHeader("Content-Security-Policy", policy);
    response.setHeader("X-Content-Type-Options", "nosniff");
    response.setHeader("X-Frame-Options", "DENY");
    response.setHeader("Referrer-Policy", "no-referrer");
  }

  private static void write(HttpServletResponse response, String type, byte[] content)
      throws IOException {
    response.setContentType(type);
    response.setContentLength(content.length);
    response.getOutputStream().write(content);
  }
}
