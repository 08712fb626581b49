package outbox.jdbc.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import outbox.jdbc.internal.dialect.Dialects;

class ShapedStatementTest {
  private final ShapedStatement statement =
      new ShapedStatement("SELECT :a{if b}, :b{/if}{if c}, '$1'{/if} WHERE 1 = 1{if b} OR :b{/if}");

  @Test
  void aPartIsThereIfItsParameterIsGiven() {
    assertThat(sql(null, false)).isEqualTo("SELECT ? WHERE 1 = 1");
    assertThat(sql("x", false)).isEqualTo("SELECT ?, ? WHERE 1 = 1 OR ?");
    assertThat(sql(null, true)).isEqualTo("SELECT ?, '$1' WHERE 1 = 1");
    assertThat(sql("x", true)).isEqualTo("SELECT ?, ?, '$1' WHERE 1 = 1 OR ?");
  }

  @Test
  void aParameterThatIsNotNamedIsNotGiven() {
    Parameters parameters = new Parameters(Dialects.ALL.get(0)).text("a", "x");
    assertThat(statement.of(parameters).sql(parameters)).isEqualTo("SELECT ? WHERE 1 = 1");
  }

  @Test
  void theFirstParameterMayBeTheCondition() {
    Parameters parameters = new Parameters(Dialects.ALL.get(0)).text("b", "x").text("a", "y");
    assertThat(statement.of(parameters).sql(parameters)).isEqualTo("SELECT ?, ? WHERE 1 = 1 OR ?");
  }

  @Test
  void theSameShapeIsParsedOnce() {
    assertThat(statement.of(parameters("x", true))).isSameAs(statement.of(parameters("y", true)));
  }

  private String sql(@Nullable String b, boolean c) {
    Parameters parameters = parameters(b, c);
    return statement.of(parameters).sql(parameters);
  }

  private static Parameters parameters(@Nullable String b, boolean c) {
    return new Parameters(Dialects.ALL.get(0)).text("a", "x").text("b", b).flag("c", c);
  }
}
