package outbox.admin;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Holds no thread while it waits for a client: neither for a body nor until an answer is read. */
final class AsyncExchange implements Exchange {
  private static final Logger LOG = System.getLogger(AsyncExchange.class.getName());
  private static final int BUFFER = 8 * 1024;
  private static final byte[] NONE = {};

  /** Starts the JDK's timer now: if a request did, the timer would hold on to the application. */
  AsyncExchange() {
    Thread thread = Thread.currentThread();
    ClassLoader own = thread.getContextClassLoader();
    thread.setContextClassLoader(ClassLoader.getSystemClassLoader());
    try {
      var unused = new CompletableFuture<>().orTimeout(0, MILLISECONDS);
    } finally {
      thread.setContextClassLoader(own);
    }
  }

  @Override
  public void run(HttpServletRequest request, HttpServletResponse response, Answering answering)
      throws IOException {
    AsyncContext async = request.startAsync();
    async.setTimeout(0);
    if (!Exchange.hasBody(request)) {
      send(async, response, answering.answer(NONE));
      return;
    }
    Reading reading = new Reading(request.getInputStream());
    var unused =
        reading
            .body
            .orTimeout(Body.DEADLINE.toMillis(), MILLISECONDS)
            .whenComplete((body, failure) -> answer(async, response, answering, body, failure));
    reading.begin();
  }

  private static void answer(
      AsyncContext async,
      HttpServletResponse response,
      Answering answering,
      byte @Nullable [] body,
      @Nullable Throwable failure) {
    if (body != null) {
      send(async, response, answering.answer(body));
    } else if (failure instanceof IOException) {
      async.complete();
    } else {
      send(async, response, Answer.of(failure instanceof Problem refused ? refused : Body.late()));
    }
  }

  private static void send(AsyncContext async, HttpServletResponse response, Answer answer) {
    try {
      Exchange.begin(response, answer);
      ServletOutputStream out = response.getOutputStream();
      out.setWriteListener(new Writing(async, out, answer.content()));
    } catch (IOException | IllegalStateException e) {
      LOG.log(Level.DEBUG, "OUTBOX_ADMIN_CLIENT_GONE", e);
      async.complete();
    }
  }

  /** Takes in what has come, whenever something has. */
  private static final class Reading implements ReadListener {
    final CompletableFuture<byte[]> body = new CompletableFuture<>();
    private final ServletInputStream in;
    private final Body read = new Body();
    private final byte[] buffer = new byte[BUFFER];

    Reading(ServletInputStream in) {
      this.in = in;
    }

    void begin() {
      in.setReadListener(this);
    }

    @Override
    public void onDataAvailable() throws IOException {
      try {
        while (!body.isDone() && in.isReady() && !in.isFinished()) {
          read.add(buffer, in.read(buffer));
        }
      } catch (Problem problem) {
        body.completeExceptionally(problem);
      }
    }

    @Override
    public void onAllDataRead() {
      try {
        body.complete(read.complete());
      } catch (Problem problem) {
        body.completeExceptionally(problem);
      }
    }

    @Override
    public void onError(Throwable failure) {
      body.completeExceptionally(new IOException(failure));
    }
  }

  /** Sends as much as the client takes, whenever it takes more. */
  private static final class Writing implements WriteListener {
    private final AsyncContext async;
    private final ServletOutputStream out;
    private final byte[] content;
    private int written;
    private boolean flushed;

    Writing(AsyncContext async, ServletOutputStream out, byte[] content) {
      this.async = async;
      this.out = out;
      this.content = content;
    }

    /** Flushes before it ends: the container would wait for the client there. */
    @Override
    public void onWritePossible() throws IOException {
      while (out.isReady()) {
        if (written < content.length) {
          int length = Math.min(BUFFER, content.length - written);
          out.write(content, written, length);
          written += length;
        } else if (!flushed) {
          flushed = true;
          out.flush();
        } else {
          async.complete();
          return;
        }
      }
    }

    @Override
    public void onError(Throwable failure) {
      async.complete();
    }
  }
}
