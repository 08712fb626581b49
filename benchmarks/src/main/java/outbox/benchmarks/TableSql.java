package outbox.benchmarks;

/** What a server is told about the tables, as whole statements. */
interface TableSql {
  /** Type, payload, status, time of completion, prefix of ids and number of rows are put in. */
  String load();

  String analyze();

  /** Leaves the planner with what it believes now. */
  String freezeStatistics();

  /** As the server itself leaves a backlog that has been there for a while. */
  String vacuum();

  /** Writes what is only in memory. */
  String checkpoint();

  String now();
}
