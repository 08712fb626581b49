package outbox.webhook;

import static java.util.Objects.requireNonNull;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.CharacterCodingException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import outbox.PayloadCodec;
import outbox.inbox.InboundMessage;
import outbox.inbox.Inbox;
import outbox.inbox.InboxKey;
import outbox.internal.broker.Payloads;

/**
 * Takes webhooks into an inbox, whose handlers then run on them. It answers 2xx only after the
 * database has committed, so that a sender that repeats what was not answered loses nothing; a
 * request that comes again is recognised by its id.
 *
 * <table>
 * <caption>Answers</caption>
 * <tr><th>status</th><th>meaning</th></tr>
 * <tr><td>202</td><td>stored now</td></tr>
 * <tr><td>200</td><td>known already</td></tr>
 * <tr><td>400</td><td>no id, or not text in UTF-8</td></tr>
 * <tr><td>401</td><td>the signature is missing, wrong or too old</td></tr>
 * <tr><td>405</td><td>another method than POST</td></tr>
 * <tr><td>413</td><td>larger than {@code maxBytes}</td></tr>
 * <tr><td>503</td><td>the database did not take it; the sender should try again</td></tr>
 * </table>
 *
 * <p>Thread-safe. Register it as a servlet of the container.
 */
public final class WebhookReceiver extends HttpServlet {
  private static final long serialVersionUID = 1L;
  private static final Logger LOG = System.getLogger(WebhookReceiver.class.getName());
  private static final int RETRY_AFTER_SECONDS = 5;

  private final transient Inbox inbox;
  private final transient WebhookSignature signature;
  private final String source;
  private final transient Function<WebhookRequest, @Nullable String> messageId;
  private final transient Function<WebhookRequest, @Nullable String> topic;
  private final int maxBytes;

  private WebhookReceiver(Builder setup) {
    this.inbox = setup.inbox;
    this.signature = setup.signature;
    this.source = setup.source;
    this.messageId = setup.messageId;
    this.topic = setup.topic;
    this.maxBytes = setup.maxBytes;
  }

  /**
   * Begins a receiver of one sender.
   *
   * @param source what the inbox calls the sender
   * @param signature how its requests are checked
   */
  public static Builder builder(Inbox inbox, String source, WebhookSignature signature) {
    return new Builder(inbox, source, signature);
  }

  @Override
  protected void doPost(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    byte[] body = request.getInputStream().readNBytes(maxBytes + 1);
    if (body.length > maxBytes) {
      answer(response, HttpServletResponse.SC_REQUEST_ENTITY_TOO_LARGE, "the body is too large");
      return;
    }
    WebhookRequest webhook = new WebhookRequest(request, body);
    try {
      signature.check(webhook);
    } catch (BadSignatureException e) {
      LOG.log(Level.WARNING, "webhook refused source=" + source + " reason=" + e.getMessage());
      answer(response, HttpServletResponse.SC_UNAUTHORIZED, "the signature is not accepted");
      return;
    }
    receive(webhook, body, response);
  }

  private void receive(WebhookRequest webhook, byte[] body, HttpServletResponse response)
      throws IOException {
    InboundMessage message;
    try {
      message = message(webhook, body);
    } catch (CharacterCodingException e) {
      answer(response, HttpServletResponse.SC_BAD_REQUEST, "the body is not text in UTF-8");
      return;
    } catch (IllegalArgumentException e) {
      answer(response, HttpServletResponse.SC_BAD_REQUEST, String.valueOf(e.getMessage()));
      return;
    }
    try {
      boolean isNew = inbox.receive(message).isNew();
      response.setStatus(isNew ? HttpServletResponse.SC_ACCEPTED : HttpServletResponse.SC_OK);
    } catch (IllegalArgumentException e) {
      answer(response, HttpServletResponse.SC_BAD_REQUEST, String.valueOf(e.getMessage()));
    } catch (RuntimeException e) {
      LOG.log(
          Level.WARNING, "webhook not stored key=" + message.key() + "; the sender repeats it", e);
      response.setIntHeader("Retry-After", RETRY_AFTER_SECONDS);
      answer(response, HttpServletResponse.SC_SERVICE_UNAVAILABLE, "not stored; try again");
    }
  }

  private InboundMessage message(WebhookRequest webhook, byte[] body)
      throws CharacterCodingException {
    Map<String, String> headers = new LinkedHashMap<>();
    for (String name : new String[] {PayloadCodec.CONTENT_TYPE, "traceparent", "tracestate"}) {
      String value = webhook.header(name);
      if (value != null) {
        headers.put(name, value);
      }
    }
    return new InboundMessage(
        new InboxKey(source, required("message id", messageId.apply(webhook))),
        required("topic", topic.apply(webhook)),
        Payloads.text(body),
        null,
        null,
        headers);
  }

  private static String required(String field, @Nullable String value) {
    if (value == null || value.isEmpty()) {
      throw new IllegalArgumentException("the request has no " + field);
    }
    return value;
  }

  private static void answer(HttpServletResponse response, int status, String text)
      throws IOException {
    response.setStatus(status);
    response.setContentType("text/plain;charset=UTF-8");
    response.getWriter().write(text + "\n");
  }

  /** Collects the options of a receiver. Not thread-safe. */
  public static final class Builder {
    private final Inbox inbox;
    private final String source;
    private final WebhookSignature signature;
    private Function<WebhookRequest, @Nullable String> messageId =
        request -> request.header(StandardSignature.ID);
    private Function<WebhookRequest, @Nullable String> topic;
    private int maxBytes = InboundMessage.MAX_PAYLOAD_BYTES;

    private Builder(Inbox inbox, String source, WebhookSignature signature) {
      this.inbox = requireNonNull(inbox, "inbox");
      this.source = requireNonNull(source, "source");
      this.signature = requireNonNull(signature, "signature");
      this.topic = request -> source;
    }

    /**
     * The sender's own id of a request, instead of the header {@code webhook-id}, such as that of
     * {@code X-GitHub-Delivery}. A request without one is refused.
     */
    public Builder messageId(Function<WebhookRequest, @Nullable String> messageId) {
      this.messageId = requireNonNull(messageId, "messageId");
      return this;
    }

    /** Which handler a request is for, instead of that of the topic named as the source. */
    public Builder topic(Function<WebhookRequest, @Nullable String> topic) {
      this.topic = requireNonNull(topic, "topic");
      return this;
    }

    /** The largest body; 1 MiB by default, as the inbox has it. */
    public Builder maxBytes(int maxBytes) {
      if (maxBytes < 1) {
        throw new IllegalArgumentException("maxBytes (" + maxBytes + ") must be at least 1");
      }
      this.maxBytes = maxBytes;
      return this;
    }

    /** Builds the receiver. */
    public WebhookReceiver build() {
      return new WebhookReceiver(this);
    }
  }
}
