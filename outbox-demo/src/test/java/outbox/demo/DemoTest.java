package outbox.demo;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.contracts.support.Spec;

@Tag("slow")
class DemoTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  @Test
  @Timeout(120)
  @Spec("FRM-19")
  void endsWithBalancedAccountOnH2() throws Exception {
    int status = run("--h2", "--fast");

    assertThat(out.toString(UTF_8))
        .contains("4 events are dead, 36 other orders were delivered meanwhile")
        .containsPattern("taken over +15 ")
        .containsPattern("dead +4 +4 ")
        .contains("The account balances.")
        .contains("./demo --serve")
        .doesNotContain("\033");
    assertThat(err.toString(UTF_8)).isEmpty();
    assertThat(status).isZero();
  }

  @Test
  void describesItsOptions() throws Exception {
    assertThat(run("--help")).isZero();
    assertThat(out.toString(UTF_8)).contains("--h2", "--fast", "--serve", "--help", "Exit status");
  }

  @Test
  void refusesUnknownOption() throws Exception {
    assertThat(run("--h3")).isEqualTo(2);
    assertThat(err.toString(UTF_8))
        .isEqualTo(
            "demo: unknown option '--h3'; known are --h2, --fast, --serve and --help"
                + System.lineSeparator());
    assertThat(out.toString(UTF_8)).isEmpty();
  }

  private int run(String... args) throws Exception {
    return Demo.run(
        args, new PrintStream(out, true, UTF_8), new PrintStream(err, true, UTF_8), false);
  }
}
