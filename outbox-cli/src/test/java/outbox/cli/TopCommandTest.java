package outbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FilterWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.cli.Cli.Result;

/** top, on H2. */
class TopCommandTest {
  private final Shop shop = Shop.inMemory();

  @Test
  void drawsAPictureThatFitsAndQuitsOnQ() {
    shop.dead("mail", 3, "timeout");
    shop.done("order", 20);
    shop.pending("invoice", 7);
    Result top = Cli.person(shop, 70).types("q").run("top");
    assertThat(top.exit()).isZero();
    assertThat(top.out())
        .contains("outbox_event of jdbc:h2:mem:")
        .containsPattern("health +DEGRADED")
        .containsPattern("backlog +7  0/s +█")
        .containsPattern("done +2.0/s")
        .containsPattern("TOPIC +BACKLOG +CHANGE +SCHEDULED +FAILING +DEAD +OLDEST")
        .contains("q quits, s sorts topics by backlog");
    assertThat(top.lines()).hasSizeLessThanOrEqualTo(24).allMatch(line -> Columns.of(line) <= 70);
    assertThat(top.out().indexOf("mail")).isLessThan(top.out().indexOf("invoice"));
  }

  @Test
  void sortsByTheKeyThatIsPressed() {
    shop.dead("mail", 3, "timeout");
    shop.pending("invoice", 7);
    Result top = Cli.person(shop, 70).types("sq").run("top");
    String second = top.out().substring(top.out().lastIndexOf("health"));
    assertThat(second.indexOf("invoice")).isLessThan(second.indexOf("mail"));
  }

  @Test
  void showsAsManyTopicsAsThereIsRoomFor() {
    for (int i = 0; i < 40; i++) {
      shop.pending("topic-" + i, 1);
    }
    Result top = Cli.person(shop, 80).types("q").run("top");
    assertThat(top.lines()).hasSizeLessThanOrEqualTo(24);
    assertThat(top.out()).containsPattern("… and \\d+ more");
  }

  @Test
  void putsOutLinesIfItIsNoTerminal() {
    shop.pending("order", 7);
    Result top = Cli.script(shop).run("top", "--interval", "200ms", "--count", "3");
    assertThat(top.exit()).isZero();
    assertThat(top.lines())
        .hasSize(3)
        .allMatch(line -> line.contains(" OK backlog=7 scheduled=0 failing=0 "));
    Result json = Cli.script(shop).run("top", "--interval", "200ms", "--count", "2", "--json");
    assertThat(json.lines()).hasSize(2).allMatch(line -> line.startsWith("{\"at\":"));
  }

  @Test
  @Timeout(60)
  void endsWhenTheReaderOfItsLinesIsGone() {
    PrintWriter closed =
        new PrintWriter(
            new FilterWriter(Writer.nullWriter()) {
              @Override
              public void flush() throws IOException {
                throw new IOException("broken pipe");
              }
            });
    PrintWriter err = new PrintWriter(Writer.nullWriter());
    String[] call = {"top", "--url", shop.url, "--user", "sa"};
    assertThat(Main.run(closed, err, FakeTerminal.none(), call)).isZero();
  }

  @Test
  void endsAfterTheCountOnATerminalToo() {
    assertThat(Cli.person(shop, 80).run("top", "--count", "1").exit()).isZero();
  }

  @Test
  void goesOnWhileTheDatabaseIsAway() throws Exception {
    Cli script = Cli.script(shop);
    shop.execute("ALTER TABLE outbox_event RENAME TO gone");
    Result top = script.run("top", "--count", "1");
    assertThat(top.exit()).isEqualTo(1);
    assertThat(top.err()).contains("table outbox_event is not there");
    assertThat(top.err().lines().toList()).hasSize(1);
  }

  @Test
  void refusesAnIntervalThatWouldBurdenTheDatabase() {
    for (String interval : List.of("0s", "10ms")) {
      assertThat(Cli.script(shop).run("top", "--interval", interval).exit()).isEqualTo(2);
    }
  }
}
