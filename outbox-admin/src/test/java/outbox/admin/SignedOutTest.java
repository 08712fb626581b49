package outbox.admin;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SignedOutTest {
  private final SignedOut signedOut = new SignedOut();

  @Test
  void aCookieThatIsForgottenCountsAsSignedOut() {
    for (int i = 0; i <= SignedOut.MAX; i++) {
      signedOut.add("signature-" + i, 1_000 + i);
    }

    assertThat(signedOut.contains("signature-0", 1_000)).isTrue();
    assertThat(signedOut.contains("another", 1_000)).isTrue();
    assertThat(signedOut.contains("signature-1", 1_001)).isTrue();
    assertThat(signedOut.contains("another", 1_001)).isFalse();
  }
}
