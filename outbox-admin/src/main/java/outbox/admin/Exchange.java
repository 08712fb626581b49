package outbox.admin;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Set;

/** Brings the body of a request to the call that answers it, and the answer back. Thread-safe. */
interface Exchange {

  /** Answers a request once its body is there; throws nothing. */
  @FunctionalInterface
  interface Answering {
    Answer answer(byte[] body);
  }

  void run(HttpServletRequest request, HttpServletResponse response, Answering answering)
      throws IOException;

  /** Whether a body may follow the headers. HTTP/2 sends one without announcing it. */
  static boolean hasBody(HttpServletRequest request) {
    long length = request.getContentLengthLong();
    boolean unannounced =
        length < 0 && !Set.of("GET", "HEAD", "OPTIONS").contains(request.getMethod());
    return length > 0 || unannounced || request.getHeader("Transfer-Encoding") != null;
  }

  /** Sets everything but the content. */
  static void begin(HttpServletResponse response, Answer answer) {
    response.setStatus(answer.status());
    answer.headers().forEach(response::setHeader);
    if (answer.contentType() != null) {
      response.setContentType(answer.contentType());
      response.setContentLength(answer.content().length);
    }
  }
}
