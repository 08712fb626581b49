package outbox.cli;

import java.util.ArrayList;
import java.util.List;

/**
 * A table as wide as the screen at the most: columns that may be cut give way, the widest first. If
 * that is not enough those that may be missing are, from left to right. A column without content is
 * not shown.
 */
final class Table {
  private static final int GAP = 2;
  private static final int UNCUT = 0;

  private final List<Column> columns = new ArrayList<>();
  private final List<List<Cell>> rows = new ArrayList<>();

  /** A column that is always shown as it is. */
  Table column(String title) {
    return add(new Column(title, false, UNCUT, false));
  }

  /** Numbers, at the right. */
  Table number(String title) {
    return add(new Column(title, true, UNCUT, false));
  }

  /** A column that may be cut down to so many characters. */
  Table flexible(String title, int least) {
    return add(new Column(title, false, least, false));
  }

  /** As {@link #flexible}; left out if no row has a value. */
  Table optional(String title, int least) {
    return add(new Column(title, false, least, true));
  }

  private Table add(Column column) {
    columns.add(column);
    return this;
  }

  /** Texts, or cells in an ink of their own. */
  void row(Object... values) {
    List<Cell> row = new ArrayList<>();
    for (Object value : values) {
      row.add(value instanceof Cell cell ? cell : new Cell(String.valueOf(value), Ink.PLAIN));
    }
    rows.add(row);
  }

  boolean isEmpty() {
    return rows.isEmpty();
  }

  void print(Screen screen) {
    lines(screen).forEach(screen::line);
  }

  List<String> lines(Screen screen) {
    int[] widths = widths(screen.columns());
    List<String> lines = new ArrayList<>();
    lines.add(
        line(screen, widths, columns.stream().map(c -> new Cell(c.title, Ink.STRONG)).toList()));
    rows.forEach(row -> lines.add(line(screen, widths, row)));
    return lines;
  }

  private String line(Screen screen, int[] widths, List<Cell> cells) {
    StringBuilder line = new StringBuilder();
    int last = last(widths);
    for (int i = 0; i <= last; i++) {
      if (widths[i] > 0) {
        Cell cell = cells.get(i);
        String text = Columns.cut(cell.text, widths[i]);
        boolean right = columns.get(i).right;
        String padded = i == last && !right ? text : Columns.padded(text, widths[i], right);
        line.append(screen.paint(padded, cell.ink)).append(i == last ? "" : " ".repeat(GAP));
      }
    }
    return line.toString().stripTrailing();
  }

  private static int last(int[] widths) {
    int last = widths.length - 1;
    while (last > 0 && widths[last] == 0) {
      last--;
    }
    return last;
  }

  /** Zero for a column that is not shown. */
  private int[] widths(int available) {
    int[] widths = new int[columns.size()];
    for (int i = 0; i < widths.length; i++) {
      widths[i] = natural(i);
    }
    for (int i = 0; i < widths.length && total(least(widths)) > available; i++) {
      if (columns.get(i).optional) {
        widths[i] = 0;
      }
    }
    shrink(widths, available);
    return widths;
  }

  private int[] least(int[] widths) {
    int[] least = widths.clone();
    for (int i = 0; i < least.length; i++) {
      if (columns.get(i).least != UNCUT) {
        least[i] = Math.min(least[i], columns.get(i).least);
      }
    }
    return least;
  }

  private int natural(int column) {
    int widest = 0;
    for (List<Cell> row : rows) {
      widest = Math.max(widest, Columns.of(row.get(column).text));
    }
    return widest == 0 ? 0 : Math.max(widest, Columns.of(columns.get(column).title));
  }

  private void shrink(int[] widths, int available) {
    for (int over = total(widths) - available; over > 0; over--) {
      int widest = -1;
      for (int i = 0; i < widths.length; i++) {
        int least = columns.get(i).least;
        if (least != UNCUT && widths[i] > least && (widest < 0 || widths[i] > widths[widest])) {
          widest = i;
        }
      }
      if (widest < 0) {
        return;
      }
      widths[widest]--;
    }
  }

  private static int total(int[] widths) {
    int total = -GAP;
    for (int width : widths) {
      total += width == 0 ? 0 : width + GAP;
    }
    return total;
  }

  /** A text in an ink. */
  record Cell(String text, Ink ink) {}

  private record Column(String title, boolean right, int least, boolean optional) {}
}
