package outbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
  void aPasswordBeforeTheHostMayHoldWhatBeginsParameters() {
    assertThat(DatabaseOptions.shown("jdbc:x://me:alpha1?beta2@db/shop?ssl=true"))
        .isEqualTo("jdbc:x://me:***@db/shop");
    assertThat(DatabaseOptions.shown("jdbc:x://me:gamma3;delta4@db/shop;ssl=true"))
        .isEqualTo("jdbc:x://me:***@db/shop");
    assertThat(DatabaseOptions.shown("jdbc:x://me:epsilon5?password=zeta6@db"))
        .isEqualTo("jdbc:x://me:***@db");
    assertThat(DatabaseOptions.shown("jdbc:x://me:77/eta7@db/shop"))
        .isEqualTo("jdbc:x://me:***@db/shop");
  }

  @Test
  void theParametersAreNoPartOfWhatIsShownOfAUrl() {
    assertThat(DatabaseOptions.shown("jdbc:x://db:5432/shop?user=me@corp&password=theta8"))
        .isEqualTo("jdbc:x://db:5432/shop");
    assertThat(DatabaseOptions.shown("jdbc:x:db;PWD=iota9;user=me")).isEqualTo("jdbc:x:db");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:postgresql://db:5432/shop?user=me cannot be reached",
        "jdbc:postgresql://db:5432/shop?user=me@corp cannot be reached",
        "jdbc:postgresql://db:5432,other:5433/shop?user=me@corp cannot be reached",
        "jdbc:sqlserver://db:1433;user=me@corp;database=shop cannot be reached"
      })
  void whatHoldsNoSecretIsShown(String text) {
    assertThat(Secrets.hidden(text, List.of())).isEqualTo(text);
    assertThat(Secrets.in(text)).isEmpty();
  }
}
