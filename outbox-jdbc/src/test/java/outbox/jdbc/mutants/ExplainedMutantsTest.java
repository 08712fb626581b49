package outbox.jdbc.mutants;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExplainedMutantsTest {
  private static final StatementFile FILE =
      new StatementFile("h2", "outbox-jdbc", "inbox", "h2.sql", Map.of());

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path root;

  @Test
  void aLineExplainsTheMutantOfItsContentOnItsDatabases() throws IOException {
    ExplainedMutants explained = explained("h2, mariadb | inbox/get | drop lock | FOR UPDATE | no");

    assertThat(explained.has(mutant("get", "drop lock", "FOR UPDATE"))).isTrue();
    assertThat(explained.has(mutant("get", "drop lock", "FOR UPDATE (2)"))).isFalse();
    assertThat(explained.has(mutant("got", "drop lock", "FOR UPDATE"))).isFalse();
    assertThat(explained.withoutMutant("h2", List.of())).hasSize(1);
    assertThat(explained.withoutMutant("postgresql", List.of())).isEmpty();
  }

  @Test
  void aStarStandsForAnyText() throws IOException {
    ExplainedMutants explained = explained("h2 | inbox/* | turn order | *_id | no reason");

    SqlMutant mutant = mutant("get", "turn order", "event_id");
    assertThat(explained.has(mutant)).isTrue();
    assertThat(explained.has(mutant("get", "turn order", "event_id DESC"))).isFalse();
    assertThat(explained.withoutMutant("h2", List.of(mutant))).isEmpty();
  }

  @Test
  void eachStatementOfALineMustHaveAMutant() throws IOException {
    ExplainedMutants explained = explained("h2 | inbox/get, inbox/see | drop lock | * | no reason");

    assertThat(explained.withoutMutant("h2", List.of(mutant("see", "drop lock", "FOR UPDATE"))))
        .containsExactly("h2 | inbox/get | drop lock | *");
  }

  @Test
  void aLineWithoutAReasonIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> explained("h2 | inbox/get | drop lock | FOR UPDATE"))
        .withMessageContaining("databases | statements | operator | fragment | reason");
  }

  private ExplainedMutants explained(String line) throws IOException {
    Files.createDirectories(root.resolve("tools/mutants"));
    Files.writeString(root.resolve("tools/mutants/sql-equivalent.txt"), "# comment\n\n" + line);
    return ExplainedMutants.of(root);
  }

  private static SqlMutant mutant(String statement, String operator, String fragment) {
    return new SqlMutant(FILE, statement, 1, new SqlMutation(operator, fragment, ""));
  }
}
