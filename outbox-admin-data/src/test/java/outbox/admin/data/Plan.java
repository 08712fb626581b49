package outbox.admin.data;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What PostgreSQL did for a query. */
record Plan(String sql, List<String> lines) {
  private static final Pattern ROWS = Pattern.compile("actual rows=([0-9.]+) loops=(\\d+)");
  private static final Pattern REMOVED = Pattern.compile("Rows Removed by .*: (\\d+)");

  /** Whether it read a whole table, or sorted what it read. */
  boolean scansTheTable() {
    return lines.stream().anyMatch(line -> line.contains("Seq Scan on outbox_"));
  }

  /** The rows that the scans of tables and indexes delivered or dropped. */
  long rowsRead() {
    long rows = 0;
    boolean scan = false;
    for (String line : lines) {
      Matcher delivered = ROWS.matcher(line);
      if (delivered.find()) {
        scan = line.contains(" on outbox_");
        rows +=
            scan
                ? (long)
                    (Double.parseDouble(delivered.group(1)) * Long.parseLong(delivered.group(2)))
                : 0;
      }
      Matcher removed = REMOVED.matcher(line);
      if (scan && removed.find()) {
        rows += Long.parseLong(removed.group(1));
      }
    }
    return rows;
  }

  @Override
  public String toString() {
    return sql + "\n" + String.join("\n", lines);
  }
}
