package outbox.internal.engine.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import outbox.internal.util.Causes;

class ErrorsTest {
  private static final String REPLACEMENT = "\uFFFD";

  @Test
  void describesTheErrorAndItsRootCause() {
    IllegalStateException root = new IllegalStateException("disk full");
    SQLException middle = new SQLException("not written", root);

    assertThat(Errors.describe(root)).isEqualTo("java.lang.IllegalStateException: disk full");
    assertThat(Errors.describe(new RuntimeException("no answer", middle)))
        .isEqualTo(
            "java.lang.RuntimeException: no answer; caused by"
                + " java.lang.IllegalStateException: disk full");
  }

  @Test
  void describesAnErrorWhoseCausesGoInACircle() {
    Exception one = new Exception("one");
    Exception other = new Exception("other", one);
    one.initCause(other);

    assertThat(Errors.describe(one)).startsWith("java.lang.Exception: one");
  }

  @Test
  void describesAnErrorThatCannotDescribeItself() {
    assertThat(Errors.describe(new Silent(null))).isEqualTo(Silent.class.getName());
    assertThat(Errors.describe(new Silent(new IllegalStateException("broken"))))
        .isEqualTo(Silent.class.getName());
  }

  @Test
  void keepsTwentyThousandCharacters() {
    String name = "java.lang.Exception: ";
    String longest = "x".repeat(20_000 - name.length());

    assertThat(Errors.describe(new Exception(longest))).isEqualTo(name + longest);
    assertThat(Errors.describe(new Exception(longest + "y"))).isEqualTo(name + longest);
  }

  @Test
  void cutsByCharactersAndReplacesWhatNoStoreKeeps() {
    assertThat(Errors.cut("abc", 3)).isEqualTo("abc");
    assertThat(Errors.cut("abcd", 3)).isEqualTo("abc");
    assertThat(Errors.cut("\uD83D\uDE00bc", 2)).isEqualTo("\uD83D\uDE00b");
    assertThat(Errors.cut("a\0b\uD83Dc", 9)).isEqualTo("a" + REPLACEMENT + "b" + REPLACEMENT + "c");
  }

  @Test
  void findsACauseAtAnyDepthButNotForEver() {
    IllegalStateException root = new IllegalStateException("disk full");
    Exception circle = new Exception("one");
    circle.initCause(new Exception("other", circle));

    assertThat(Causes.include(root, IllegalStateException.class)).isTrue();
    assertThat(Causes.include(new Exception(new Exception(root)), RuntimeException.class)).isTrue();
    assertThat(Causes.include(new Exception(root), SQLException.class)).isFalse();
    assertThat(Causes.include(circle, SQLException.class)).isFalse();
  }

  /** Has no text, or none that can be had. */
  private static final class Silent extends Exception {
    private static final long serialVersionUID = 1L;
    private final transient @Nullable RuntimeException broken;

    private Silent(@Nullable RuntimeException broken) {
      this.broken = broken;
    }

    @Override
    @SuppressWarnings({"NullAway", "OverrideThrowableToString", "ToStringReturnsNull"})
    public String toString() {
      if (broken != null) {
        throw broken;
      }
      return null;
    }
  }
}
