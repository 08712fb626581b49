package outbox.benchmarks;

import java.util.List;

/** The results as a Markdown document. */
final class Report {
  private final String about;
  private final Results results;

  Report(String about, Results results) {
    this.about = about;
    this.results = results;
  }

  String toMarkdown() {
    StringBuilder text = new StringBuilder(about).append("\n");
    if (!results.gates().isEmpty()) {
      text.append("\n### Gates\n\n");
      line(text, List.of("gate", "measured", "must be", ""));
      rule(text, 4);
      for (Gate gate : results.gates()) {
        line(text, List.of(gate.name(), gate.measured(), gate.rule(), results.verdict(gate)));
      }
    }
    for (Results.Table table : results.tables()) {
      text.append("\n### ").append(table.title()).append("\n\n");
      line(text, table.columns());
      rule(text, table.columns().size());
      table.rows().forEach(row -> line(text, row));
    }
    results.notes().forEach(note -> text.append("\n").append(note).append("\n"));
    return text.toString();
  }

  private static void line(StringBuilder text, List<String> cells) {
    text.append("| ").append(String.join(" | ", cells)).append(" |\n");
  }

  private static void rule(StringBuilder text, int columns) {
    text.append("|---".repeat(columns)).append("|\n");
  }
}
