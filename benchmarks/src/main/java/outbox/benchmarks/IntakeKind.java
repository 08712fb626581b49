package outbox.benchmarks;

import javax.sql.DataSource;

/** Those who take messages in. */
enum IntakeKind {
  RAW("raw insert on conflict"),
  ANSWERED("the same, telling new from known"),
  NEW("receive of new messages"),
  DUPLICATES("receive of duplicates");

  /** How many messages are there to be sent again. */
  static final int LOADED = 10_000;

  private final String label;

  IntakeKind(String label) {
    this.label = label;
  }

  String label() {
    return label;
  }

  Contestant start(DataSource dataSource) {
    return switch (this) {
      case RAW -> Intake.unanswered(dataSource);
      case ANSWERED -> Intake.answered(dataSource);
      case NEW -> Intake.ofNew(dataSource);
      case DUPLICATES -> Intake.ofDuplicates(dataSource, LOADED);
    };
  }
}
