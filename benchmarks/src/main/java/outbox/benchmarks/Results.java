package outbox.benchmarks;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Everything that a run found out. Not thread-safe. */
final class Results {
  private final List<Gate> gates = new ArrayList<>();
  private final List<Table> tables = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();
  private final boolean judging;

  /** Results of runs too short to be judged have gates without a verdict. */
  Results(boolean judging) {
    this.judging = judging;
  }

  String verdict(Gate gate) {
    return judging ? gate.passed() ? "PASS" : "FAIL" : "not judged";
  }

  void gate(Gate gate) {
    gates.add(gate);
    System.out.println(
        verdict(gate) + "  " + gate.name() + ": " + gate.measured() + ", " + gate.rule());
  }

  Table table(String title, String... columns) {
    Table table = new Table(title, List.of(columns));
    tables.add(table);
    return table;
  }

  void note(String note) {
    notes.add(note);
    System.out.println(note);
  }

  List<Gate> gates() {
    return Collections.unmodifiableList(gates);
  }

  List<Table> tables() {
    return Collections.unmodifiableList(tables);
  }

  List<String> notes() {
    return Collections.unmodifiableList(notes);
  }

  /** Figures under a title. */
  record Table(String title, List<String> columns, List<List<String>> rows) {
    Table(String title, List<String> columns) {
      this(title, columns, new ArrayList<>());
    }

    void row(String... cells) {
      rows.add(List.of(cells));
    }
  }
}
