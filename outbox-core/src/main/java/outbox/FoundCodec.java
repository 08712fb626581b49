package outbox;

import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/** The codec that the class path provides, looked for on the first use. */
final class FoundCodec implements PayloadCodec {
  private volatile @Nullable PayloadCodec found;

  private PayloadCodec codec() {
    PayloadCodec codec = found;
    if (codec == null) {
      codec = find();
      found = codec;
    }
    return codec;
  }

  /** A thread of a pool may have another class loader than the application. */
  private static PayloadCodec find() {
    List<PayloadCodec> all = providers(ServiceLoader.load(PayloadCodec.class));
    if (all.isEmpty()) {
      all = providers(ServiceLoader.load(PayloadCodec.class, PayloadCodec.class.getClassLoader()));
    }
    if (all.size() == 1) {
      return all.get(0);
    }
    throw new IllegalStateException(
        all.isEmpty()
            ? "a payload that is neither String nor byte[] needs a PayloadCodec, and the class path"
                + " has none; add outbox-jackson and Jackson, or give codec(…) to the builder"
            : "the class path has more than one PayloadCodec ("
                + String.join(", ", all.stream().map(each -> each.getClass().getName()).toList())
                + "); give one of them to the builder by codec(…)");
  }

  private static List<PayloadCodec> providers(ServiceLoader<PayloadCodec> loader) {
    List<PayloadCodec> all = new ArrayList<>();
    try {
      loader.forEach(all::add);
    } catch (ServiceConfigurationError e) {
      Throwable cause = e.getCause();
      throw new IllegalStateException(
          "the PayloadCodec on the class path cannot be used: "
              + (cause == null ? e.getMessage() : cause.getMessage()),
          e);
    }
    return all;
  }

  @Override
  public String contentType() {
    return codec().contentType();
  }

  @Override
  public boolean isText() {
    return codec().isText();
  }

  @Override
  public byte[] encode(Object value) {
    return codec().encode(value);
  }

  @Override
  public @Nullable Object decode(byte[] payload, Type type) throws Exception {
    return codec().decode(payload, type);
  }

  @Override
  public boolean canRead(Type type) {
    return codec().canRead(type);
  }

  @Override
  public Object read(EventEnvelope event, Type type) {
    return codec().read(event, type);
  }

  @Override
  public Object read(String payload, Type type) {
    return codec().read(payload, type);
  }
}
