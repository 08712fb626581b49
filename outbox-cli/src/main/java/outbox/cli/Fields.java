package outbox.cli;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Names with their values below each other; long values continue in the next line, at a space. */
final class Fields {
  private static final int GAP = 2;
  private static final int LEAST = 20;

  private final List<Field> fields = new ArrayList<>();

  /** Leaves it out if there is no value. */
  Fields add(String name, @Nullable Object value) {
    String text = Shown.line(value == null ? "" : value.toString());
    if (!text.isEmpty()) {
      fields.add(new Field(name, text));
    }
    return this;
  }

  void print(Screen screen) {
    lines(screen).forEach(screen::line);
  }

  List<String> lines(Screen screen) {
    int indent = fields.stream().mapToInt(field -> Columns.of(field.name)).max().orElse(0) + GAP;
    int room =
        screen.columns() == Screen.UNLIMITED
            ? Screen.UNLIMITED
            : Math.max(LEAST, screen.columns() - indent);
    List<String> lines = new ArrayList<>();
    for (Field field : fields) {
      String head = Columns.padded(field.name, indent, false);
      for (String part : wrapped(field.value, room)) {
        lines.add(screen.paint(head, Ink.FAINT) + part);
        head = " ".repeat(indent);
      }
    }
    return lines;
  }

  /**
   * A word that is longer than a line stays whole: the terminal breaks it, and it can be copied.
   */
  static List<String> wrapped(String text, int room) {
    List<String> lines = new ArrayList<>();
    StringBuilder line = new StringBuilder();
    int used = 0;
    for (String word : text.split(" ", -1)) {
      int columns = Columns.of(word);
      if (used > 0 && used + 1L + columns > room) {
        lines.add(line.toString());
        line.setLength(0);
        used = 0;
      }
      line.append(used == 0 ? "" : " ").append(word);
      used += columns + (used == 0 ? 0 : 1);
    }
    lines.add(line.toString());
    return lines;
  }

  private record Field(String name, String value) {}
}
