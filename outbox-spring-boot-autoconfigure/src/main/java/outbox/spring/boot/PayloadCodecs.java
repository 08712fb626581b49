package outbox.spring.boot;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import outbox.PayloadCodec;

/** Which of the application's codecs is the one. */
final class PayloadCodecs {
  private PayloadCodecs() {}

  /** The only or primary one; null if there is none. */
  static @Nullable PayloadCodec choose(ListableBeanFactory beans) {
    PayloadCodec chosen = beans.getBeanProvider(PayloadCodec.class).getIfUnique();
    List<String> names = List.of(beans.getBeanNamesForType(PayloadCodec.class));
    if (chosen == null && names.size() > 1) {
      throw new OutboxSetupException(
          "The outbox needs one PayloadCodec, and the application has several: "
              + String.join(", ", names)
              + ".",
          "Mark one of them as @Primary, or remove the others.");
    }
    return chosen;
  }
}
