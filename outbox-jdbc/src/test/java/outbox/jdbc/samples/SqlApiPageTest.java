package outbox.jdbc.samples;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import outbox.contracts.support.Spec;
import outbox.jdbc.db.Product;
import outbox.jdbc.db.TestDatabase;
import outbox.jdbc.schema.OutboxSchema;

/** The psql session that the SQL page shows is run, and must come out as shown. */
class SqlApiPageTest {
  private static final Pattern SESSION = Pattern.compile("(?ms)^```console\\n(.*?)^```$");
  private static final Pattern PROMPT = Pattern.compile("^shop[=-]\\*?> (.*)$");
  private static final Pattern ULID = Pattern.compile("[0-9A-HJKMNP-TV-Z]{26}");

  /** Ids differ from run to run: those of the page by those of this run. */
  private final Map<String, String> ids = new HashMap<>();

  @Test
  @Spec({"OBX-106", "OBX-114"})
  void theSessionComesOutAsShown() throws SQLException {
    List<Step> steps = steps();
    assertThat(steps).hasSizeGreaterThan(10);
    try (TestDatabase database = TestDatabase.create(Product.POSTGRES_NEWEST)) {
      OutboxSchema.of(database.dataSource()).withRoutines().deploy();
      try (Connection connection = database.dataSource().getConnection();
          Statement statement = connection.createStatement()) {
        for (Step step : steps) {
          List<List<String>> rows = run(statement, translated(step.sql));
          learn(step.rows, rows);
          assertThat(rows)
              .as(step.sql)
              .isEqualTo(
                  step.rows.stream()
                      .map(row -> row.stream().map(this::translated).toList())
                      .toList());
        }
      }
    }
  }

  private static List<Step> steps() {
    List<Step> steps = new ArrayList<>();
    String sessions =
        SESSION
            .matcher(Page.of("docs/sql-api.md").text())
            .results()
            .map(block -> block.group(1))
            .reduce("", String::concat);
    StringBuilder sql = new StringBuilder();
    boolean inRows = false;
    for (String line : sessions.split("\n", -1)) {
      Matcher prompt = PROMPT.matcher(line);
      if (prompt.matches()) {
        inRows = false;
        sql.append(prompt.group(1)).append('\n');
        if (line.endsWith(";")) {
          steps.add(new Step(sql.toString(), new ArrayList<>()));
          sql.setLength(0);
        }
      } else if (line.matches("-[-+]*")) {
        inRows = true;
      } else if (line.matches("\\(\\d+ rows?\\)")) {
        inRows = false;
      } else if (inRows) {
        steps
            .get(steps.size() - 1)
            .rows
            .add(Stream.of(line.split("\\|", -1)).map(String::strip).toList());
      }
    }
    return steps;
  }

  private static List<List<String>> run(Statement statement, String sql) throws SQLException {
    List<List<String>> rows = new ArrayList<>();
    if (statement.execute(sql)) {
      try (ResultSet result = statement.getResultSet()) {
        int columns = result.getMetaData().getColumnCount();
        while (result.next()) {
          List<String> row = new ArrayList<>();
          for (int i = 1; i <= columns; i++) {
            String cell = result.getString(i);
            row.add(cell == null ? "" : cell.strip());
          }
          rows.add(row);
        }
      }
    }
    return rows;
  }

  private void learn(List<List<String>> shown, List<List<String>> found) {
    for (int i = 0; i < Math.min(shown.size(), found.size()); i++) {
      for (int j = 0; j < Math.min(shown.get(i).size(), found.get(i).size()); j++) {
        String cell = shown.get(i).get(j);
        String actual = found.get(i).get(j);
        if (ULID.matcher(cell).matches() && ULID.matcher(actual).matches()) {
          ids.putIfAbsent(cell, actual);
        }
      }
    }
  }

  private String translated(String text) {
    return ULID.matcher(text).replaceAll(id -> ids.getOrDefault(id.group(), id.group()));
  }

  private record Step(String sql, List<List<String>> rows) {}
}
