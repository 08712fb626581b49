package outbox.jdbc.mutants;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

class SqlMutationsTest {
  static final List<String> DATABASES = StatementFile.DATABASES;

  private static final Path ROOT = Path.of("..");

  @Test
  void dropsEachTermOfAndAndOfOr() {
    assertThat(texts("drop predicate", "DELETE FROM t WHERE a = b AND (c OR d BETWEEN e AND f)"))
        .containsExactly(
            "DELETE FROM t WHERE 1 = 1 AND (c OR d BETWEEN e AND f)",
            "DELETE FROM t WHERE a = b AND 1 = 1",
            "DELETE FROM t WHERE a = b AND (1 = 0 OR d BETWEEN e AND f)",
            "DELETE FROM t WHERE a = b AND (c OR 1 = 0)");
  }

  @Test
  void dropsTheOnlyPredicateOfEachClause() {
    assertThat(
            texts(
                "drop predicate",
                "SELECT a FROM t INNER JOIN u ON b = c GROUP BY a HAVING d > e ORDER BY a"))
        .containsExactly(
            "SELECT a FROM t INNER JOIN u ON 1 = 1 GROUP BY a HAVING d > e ORDER BY a",
            "SELECT a FROM t INNER JOIN u ON b = c GROUP BY a HAVING 1 = 1 ORDER BY a");
  }

  @Test
  void dropsThePredicatesOfNestedStatements() {
    assertThat(
            texts("drop predicate", "DELETE FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE a = b)"))
        .containsExactly(
            "DELETE FROM t WHERE 1 = 1",
            "DELETE FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE 1 = 1)");
  }

  @Test
  void takesAndSkipsEachBranchOfCase() {
    String sql = "SELECT CASE WHEN a = b AND c THEN d ELSE e END AS f";
    assertThat(texts("drop predicate", sql))
        .containsExactly(
            "SELECT CASE WHEN 1 = 1 AND c THEN d ELSE e END AS f",
            "SELECT CASE WHEN a = b AND 1 = 1 THEN d ELSE e END AS f");
    assertThat(texts("take branch", sql))
        .containsExactly("SELECT CASE WHEN 1 = 1 THEN d ELSE e END AS f");
    assertThat(texts("skip branch", sql))
        .containsExactly("SELECT CASE WHEN 1 = 0 THEN d ELSE e END AS f");
  }

  @Test
  void leavesWhatMergeMatchesBy() {
    String sql =
        "MERGE INTO t AS x USING u AS y ON x.a = y.a WHEN MATCHED AND x.b = c THEN UPDATE SET d = e"
            + " WHEN NOT MATCHED THEN INSERT (d) VALUES (e)";
    assertThat(texts("take branch", sql)).containsExactly(sql.replace("x.b = c", "1 = 1"));
    assertThat(texts("drop assignment", sql)).containsExactly(sql.replace("d = e", "d = x.d"));
    assertThat(texts("turn comparison", sql))
        .containsExactly(sql.replace("x.a = y.a", "x.a <> y.a"), sql.replace("x.b =", "x.b <>"));
  }

  @Test
  void dropsEachAssignment() {
    assertThat(texts("drop assignment", "UPDATE t SET a = b, c = f(d, e) WHERE g = h"))
        .containsExactly("UPDATE t SET c = f(d, e) WHERE g = h", "UPDATE t SET a = b WHERE g = h");
    assertThat(
            texts("drop assignment", "INSERT INTO t (a) VALUES (b) ON DUPLICATE KEY UPDATE a = c"))
        .containsExactly("INSERT INTO t (a) VALUES (b) ON DUPLICATE KEY UPDATE a = a");
  }

  @Test
  void takesAnAssignmentForNoComparison() {
    assertThat(texts("turn comparison", "UPDATE t SET a = b, c = d IS DISTINCT FROM e FROM f"))
        .containsExactly("UPDATE t SET a = b, c = d IS NOT DISTINCT FROM e FROM f");
  }

  @Test
  void turnsEachComparison() {
    assertThat(
            texts(
                "turn comparison",
                "SELECT a < b, a <= b, a > b, a >= b, a = b, a <> b, a IS NULL, a IS NOT NULL,"
                    + " a IN (b), a NOT IN (b), a = ANY (b), NOT EXISTS (b), GREATEST(a, b)"))
        .extracting(text -> text.substring("SELECT ".length()))
        .containsExactlyInAnyOrder(
            with("a < b", "a <= b"),
            with("a <= b", "a < b"),
            with("a > b", "a >= b"),
            with("a >= b", "a > b"),
            with("a = b", "a <> b"),
            with("a <> b", "a = b"),
            with("a IS NULL", "a IS NOT NULL"),
            with("a IS NOT NULL", "a IS NULL"),
            with("a IN (b)", "a NOT IN (b)"),
            with("a NOT IN (b)", "a IN (b)"),
            with("a = ANY (b)", "a <> ALL (b)"),
            with("NOT EXISTS (b)", "EXISTS (b)"),
            with("GREATEST(a, b)", "LEAST(a, b)"));
  }

  private static String with(String term, String turned) {
    String all =
        "a < b, a <= b, a > b, a >= b, a = b, a <> b, a IS NULL, a IS NOT NULL, a IN (b), a NOT IN"
            + " (b), a = ANY (b), NOT EXISTS (b), GREATEST(a, b)";
    int place = (", " + all + ",").indexOf(", " + term + ",");
    return all.substring(0, place) + turned + all.substring(place + term.length());
  }

  @Test
  void movesConstantsButNoSizes() {
    assertThat(
            texts(
                "move constant",
                "SELECT CAST(a AS TIMESTAMP(6)) + INTERVAL '1 microsecond', '' FROM t"
                    + " WHERE b IN (0, 2) AND c = '9999-12-31' AND EXISTS (SELECT 1 FROM u)"))
        .extracting(text -> text.replaceAll(".*(INTERVAL.*)\\).*", "$1"))
        .containsExactly(
            "INTERVAL '2 microsecond', '' FROM t"
                + " WHERE b IN (0, 2) AND c = '9999-12-31' AND EXISTS (SELECT 1 FROM u",
            "INTERVAL '1 microsecond', '~' FROM t"
                + " WHERE b IN (0, 2) AND c = '9999-12-31' AND EXISTS (SELECT 1 FROM u",
            "INTERVAL '1 microsecond', '' FROM t"
                + " WHERE b IN (1, 2) AND c = '9999-12-31' AND EXISTS (SELECT 1 FROM u",
            "INTERVAL '1 microsecond', '' FROM t"
                + " WHERE b IN (0, 3) AND c = '9999-12-31' AND EXISTS (SELECT 1 FROM u");
    assertThat(texts("move constant", "SELECT COUNT(CASE WHEN a THEN 1 END) FROM t")).isEmpty();
  }

  @Test
  void dropsAndTurnsTheOrder() {
    String sql = "SELECT a FROM t ORDER BY a, b DESC LIMIT 1 OFFSET :skip FOR UPDATE SKIP LOCKED";
    assertThat(texts("drop ORDER BY", sql)).containsExactly(sql.replace("ORDER BY a, b DESC", ""));
    assertThat(texts("drop ORDER BY key", sql))
        .containsExactly(sql.replace("a, b DESC", "b DESC"), sql.replace("a, b DESC", "a"));
    assertThat(texts("turn order", sql))
        .containsExactly(sql.replace("a, b DESC", "a DESC, b DESC"), sql.replace("DESC", "ASC"));
  }

  @Test
  void dropsLimitsAndLocks() {
    String sql = "SELECT a FROM t LIMIT 1 OFFSET :skip FOR NO KEY UPDATE OF t SKIP LOCKED";
    assertThat(texts("drop LIMIT", sql)).containsExactly(sql.replace("LIMIT 1 OFFSET :skip", ""));
    assertThat(texts("drop SKIP LOCKED", sql)).containsExactly(sql.replace("SKIP LOCKED", ""));
    assertThat(texts("drop lock", sql))
        .containsExactly(sql.replace("FOR NO KEY UPDATE OF t SKIP LOCKED", ""));
    assertThat(texts("drop lock", "SELECT a FROM t LOCK IN SHARE MODE"))
        .containsExactly("SELECT a FROM t ");
  }

  @Test
  void leavesTextsCommentsAndOptionalPartsAlone() {
    String sql =
        """
        SELECT 'a = b' /* c = d */ {if e}, CASE WHEN f IS NULL THEN {/if}g{if e} END{/if} FROM t
        -- h = 1
        """;
    assertThat(SqlMutations.of(sql))
        .extracting(SqlMutation::operator)
        .containsExactlyInAnyOrder(
            "take branch", "skip branch", "turn comparison", "move constant");
    assertThat(texts("take branch", sql)).containsExactly(sql.replace("f IS NULL", "1 = 1"));
  }

  @Test
  void refusesWhatIsNotBalanced() {
    assertThatThrownBy(() -> SqlMutations.of("SELECT (a")).hasMessageContaining("unbalanced");
    assertThatThrownBy(() -> SqlMutations.of("SELECT a)")).hasMessageContaining("unbalanced");
  }

  @ParameterizedTest
  @FieldSource("DATABASES")
  void everyMutantHasAKeyOfItsOwnAndATextOfItsOwn(String database) {
    Set<String> keys = new HashSet<>();
    for (SqlMutant mutant : mutants(database)) {
      assertThat(keys.add(mutant.key())).as(mutant.name()).isTrue();
      assertThat(mutant.mutation().text())
          .as(mutant.name())
          .isNotEqualTo(mutant.file().statements().get(mutant.statement()));
      assertThat(SqlNode.of(SqlToken.of(mutant.mutation().text()))).as(mutant.name()).isNotEmpty();
    }
    assertThat(keys).hasSizeGreaterThan(1_000);
  }

  @ParameterizedTest
  @FieldSource("DATABASES")
  void everyExplanationIsOfAMutant(String database) {
    assertThat(ExplainedMutants.of(ROOT).withoutMutant(database, mutants(database))).isEmpty();
  }

  private static List<SqlMutant> mutants(String database) {
    return StatementFile.of(ROOT, database).stream()
        .flatMap(file -> file.mutants().stream())
        .toList();
  }

  private static List<String> texts(String operator, String sql) {
    return SqlMutations.of(sql).stream()
        .filter(mutation -> mutation.operator().equals(operator))
        .map(SqlMutation::text)
        .toList();
  }
}
