package outbox.admin;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.Semaphore;

/**
 * Reads and writes on the container's thread, so that every filter around the servlet sees what it
 * is used to. Senders that stall take only a few of the application's threads: while those wait for
 * bodies, further ones are read without a thread, or refused where the container does not allow
 * that.
 */
final class BlockingExchange implements Exchange {
  private static final int READERS = 16;
  private static final int BUFFER = 8 * 1024;
  private static final byte[] NONE = {};

  private final Semaphore readers = new Semaphore(READERS);
  private final Exchange overflow = new AsyncExchange();

  @Override
  public void run(HttpServletRequest request, HttpServletResponse response, Answering answering)
      throws IOException {
    if (!Exchange.hasBody(request)) {
      send(response, answering.answer(NONE));
    } else if (readers.tryAcquire()) {
      send(response, read(request, answering));
    } else if (request.isAsyncSupported()) {
      overflow.run(request, response, answering);
    } else {
      send(response, Answer.of(Body.tooMany()));
    }
  }

  private static void send(HttpServletResponse response, Answer answer) throws IOException {
    Exchange.begin(response, answer);
    response.getOutputStream().write(answer.content());
  }

  private Answer read(HttpServletRequest request, Answering answering) throws IOException {
    byte[] content;
    try {
      content = read(request.getInputStream());
    } catch (Problem problem) {
      return Answer.of(problem);
    } finally {
      readers.release();
    }
    return answering.answer(content);
  }

  private static byte[] read(InputStream in) throws IOException {
    long deadline = System.nanoTime() + Body.DEADLINE.toNanos();
    Body body = new Body();
    byte[] buffer = new byte[BUFFER];
    for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
      body.add(buffer, read);
      if (System.nanoTime() - deadline > 0) {
        throw Body.late();
      }
    }
    return body.complete();
  }
}
