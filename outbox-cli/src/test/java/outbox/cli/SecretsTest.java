package outbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SecretsTest {

  @Test
  void aSecretEndsAtTheNextSeparatorOnly() {
    assertThat(Secrets.hidden("jdbc:x://db/shop?password=a,b)c'd\"e&ssl=true failed", List.of()))
        .isEqualTo("jdbc:x://db/shop?password=***&ssl=true failed");
    assertThat(Secrets.hidden("jdbc:x:db;PWD=a,b\"c;user=me", List.of()))
        .isEqualTo("jdbc:x:db;PWD=***;user=me");
  }

  @Test
  void aPasswordBeforeTheHostMayHoldSlashesAndAtSigns() {
    assertThat(Secrets.hidden("no driver for jdbc:x://u:pa/ss@w:ord@host/db", List.of()))
        .isEqualTo("no driver for jdbc:x://u:***@host/db");
  }

  @Test
  void whatIsKnownIsHiddenWhereverItStands() {
    List<String> known = Secrets.in("jdbc:x://u:first1@host/db?password=second2&x=y");

    assertThat(known).contains("second2");
    assertThat(
            Secrets.hidden(
                "login of second2 refused, tried 'third 3'", List.of("second2", "third 3", "")))
        .isEqualTo("login of *** refused, tried '***'");
  }

  @Test
  void whatHoldsNoSecretIsShown() {
    String text = "jdbc:postgresql://db:5432/shop?user=me cannot be reached";

    assertThat(Secrets.hidden(text, List.of())).isEqualTo(text);
  }
}
