package outbox;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import outbox.contracts.support.Spec;

class OutboxIdempotencyTest {

  static Stream<List<String>> vectors() throws IOException {
    try (InputStream file =
        requireNonNull(
            OutboxIdempotencyTest.class.getResourceAsStream("/outbox/idempotency-keys.txt"))) {
      return new String(file.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.startsWith("#"))
          .map(line -> List.of(line.split("\t")));
    }
  }

  @ParameterizedTest
  @MethodSource("vectors")
  @Spec({"IDEM-18", "IDEM-19", "IDEM-20"})
  void theKeyIsWhatOtherLanguagesMake(List<String> vector) {
    UUID key =
        OutboxIdempotency.createKey(
            vector.get(0), vector.get(1), vector.get(2), vector.get(3), vector.get(4));

    assertThat(key).hasToString(vector.get(5));
  }

  @Test
  @Spec({"IDEM-19", "IDEM-72"})
  void theSameInputMakesTheSameKeyInEveryForm() {
    UUID key = OutboxIdempotency.createKey("acme", "order", "42", "placed", "0");

    assertThat(OutboxIdempotency.createKey("acme", "order", "42", "placed")).isEqualTo(key);
    assertThat(OutboxIdempotency.createKey("acme", "order", "42", "placed", 0)).isEqualTo(key);
    assertThat(OutboxIdempotency.createKey("acme", "order", "42", "placed", null)).isEqualTo(key);
    assertThat(OutboxIdempotency.createKey("acme", "order", 42, "placed")).isEqualTo(key);
    assertThat(OutboxIdempotency.createKey("acme", "order", 42, "placed", 0)).isEqualTo(key);
    assertThat(OutboxIdempotency.createKey("ACME", "Order", 42, "PLACED")).isEqualTo(key);
    assertThat(OutboxIdempotency.createKey(null, "order", 42, "placed"))
        .isEqualTo(OutboxIdempotency.createKey("", "order", 42, "placed"));
  }

  @Test
  @Spec({"IDEM-11", "IDEM-73"})
  void whatDiffersInAnyPartOrInWhereAPartEndsHasAnotherKey() {
    assertThat(
            List.of(
                OutboxIdempotency.createKey("acme", "order", 42, "placed"),
                OutboxIdempotency.createKey("other", "order", 42, "placed"),
                OutboxIdempotency.createKey(null, "order", 42, "placed"),
                OutboxIdempotency.createKey("acme", "invoice", 42, "placed"),
                OutboxIdempotency.createKey("acme", "order", 43, "placed"),
                OutboxIdempotency.createKey("acme", "order", 42, "cancelled"),
                OutboxIdempotency.createKey("acme", "order", 42, "placed", 1),
                OutboxIdempotency.createKey("a:b", "c", "d", "e"),
                OutboxIdempotency.createKey("a", "b:c", "d", "e"),
                OutboxIdempotency.createKey("a%3ab", "c", "d", "e")))
        .doesNotHaveDuplicates();
  }

  @Test
  @Spec("IDEM-18")
  void theLanguageOfTheMachineDoesNotMatter() {
    Locale before = Locale.getDefault();
    UUID key = OutboxIdempotency.createKey("acme", "INVOICE", 42, "ISSUED");
    try {
      Locale.setDefault(Locale.forLanguageTag("tr"));
      assertThat(OutboxIdempotency.createKey("acme", "INVOICE", 42, "ISSUED")).isEqualTo(key);
    } finally {
      Locale.setDefault(before);
    }
  }

  @Test
  @Spec("IDEM-22")
  void withoutANaturalIdentityAKeyIsRandom() {
    UUID key = OutboxIdempotency.randomKey();

    assertThat(key.version()).isEqualTo(4);
    assertThat(OutboxIdempotency.randomKey()).isNotEqualTo(key);
  }

  @Test
  @Spec("IDEM-21")
  void aNameBasedKeyIsVersion5OfTheStandard() {
    UUID dns = UUID.fromString("6ba7b810-9dad-11d1-80b4-00c04fd430c8");

    assertThat(OutboxIdempotency.nameBasedKey(dns, "www.example.com"))
        .hasToString("2ed6657d-e927-568b-95e1-2665a8aea6a2");
  }

  @Test
  @SuppressWarnings("NullAway")
  void anEmptyOrMissingPartIsRefusedByName() {
    assertThatThrownBy(() -> OutboxIdempotency.createKey("acme", "", "42", "placed"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("category must not be empty");
    assertThatThrownBy(() -> OutboxIdempotency.createKey("acme", "order", (String) null, "placed"))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("entityId");
    assertThatThrownBy(() -> OutboxIdempotency.createKey("acme", "order", "\ud800", "placed"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("entityId");
  }
}
