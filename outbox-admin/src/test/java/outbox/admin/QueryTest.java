package outbox.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Set;
import org.junit.jupiter.api.Test;

class QueryTest {

  @Test
  void decodesNamesAndValues() {
    Arguments query = Query.parameters("a=x%20y+z&b=%C3%BC&c=1=2&&d");

    assertThat(query.text("a")).isEqualTo("x y z");
    assertThat(query.text("b")).isEqualTo("ü");
    assertThat(query.text("c")).isEqualTo("1=2");
    assertThat(query.text("d")).isNull();
    assertThat(Query.parameters(null).text("a")).isNull();
  }

  @Test
  void splitsAPathBeforeItDecodes() {
    assertThat(Query.segments("/a%7Cb/c+d/%20/")).containsExactly("a|b", "c+d", " ");
  }

  @Test
  void refusesWhatIsNoAddressAndWhatIsGivenTwice() {
    assertThatThrownBy(() -> Query.parameters("a=%zz")).isInstanceOf(Problem.class);
    assertThatThrownBy(() -> Query.segments("/%4")).isInstanceOf(Problem.class);
    assertThatThrownBy(() -> Query.parameters("a=1&%61=2")).isInstanceOf(Problem.class);
    assertThatThrownBy(() -> Query.parameters("a=1").only(Set.of("b")))
        .isInstanceOf(Problem.class)
        .hasMessageContaining("known are: b");
  }
}
