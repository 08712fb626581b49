package outbox.spring.boot;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import outbox.EventEnvelope;
import outbox.spi.Propagation;

/** Several propagations: the first has the last word on a header, and is the outermost. */
record CombinedPropagation(Propagation first, Propagation others) implements Propagation {

  static Propagation of(List<Propagation> all) {
    return switch (all.size()) {
      case 0 -> Propagation.NONE;
      case 1 -> all.get(0);
      default -> new CombinedPropagation(all.get(0), of(all.subList(1, all.size())));
    };
  }

  @Override
  public Map<String, String> headers(String topic) {
    Map<String, String> headers = new LinkedHashMap<>(others.headers(topic));
    headers.putAll(first.headers(topic));
    return headers;
  }

  @Override
  public <T> T around(EventEnvelope event, Callable<T> listeners) throws Exception {
    return first.around(event, () -> others.around(event, listeners));
  }
}
