package outbox.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import outbox.jdbc.db.TestDatabase;

/** All that a database's catalog says of the tables in its default schema, but for their rows. */
final class SchemaShape {
  private static final List<String> POSTGRES =
      List.of(
          "SELECT 'column', relname, attname, format_type(atttypid, atttypmod), attnotnull,"
              + " attgenerated, collname, pg_get_expr(adbin, adrelid)"
              + " FROM pg_attribute INNER JOIN pg_class ON pg_class.oid = attrelid"
              + " LEFT JOIN pg_collation ON pg_collation.oid = attcollation"
              + " LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum"
              + " WHERE relnamespace = CAST(current_schema() AS regnamespace) AND relkind = 'r'"
              + " AND attnum > 0 AND NOT attisdropped",
          "SELECT 'index', pg_get_indexdef(indexrelid), indisvalid, indisprimary"
              + " FROM pg_index INNER JOIN pg_class ON pg_class.oid = indrelid"
              + " WHERE relnamespace = CAST(current_schema() AS regnamespace)",
          // NOT NULL is a constraint since PostgreSQL 18; the columns above tell it.
          "SELECT 'constraint', CAST(conrelid AS regclass), conname, pg_get_constraintdef(oid),"
              + " convalidated FROM pg_constraint"
              + " WHERE connamespace = CAST(current_schema() AS regnamespace) AND contype <> 'n'",
          "SELECT 'setting', relname, unnest(reloptions) FROM pg_class"
              + " WHERE relnamespace = CAST(current_schema() AS regnamespace)",
          "SELECT 'trigger', pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal",
          "SELECT 'routine', proname FROM pg_proc"
              + " WHERE pronamespace = CAST(current_schema() AS regnamespace)");

  private static final List<String> INNODB =
      List.of(
          "SELECT 'column', table_name, column_name, column_type, is_nullable, column_default,"
              + " character_set_name, collation_name, extra, generation_expression"
              + " FROM information_schema.columns WHERE table_schema = DATABASE()",
          "SELECT 'index', table_name, index_name, non_unique, seq_in_index, column_name, collation,"
              + " sub_part, index_type"
              + " FROM information_schema.statistics WHERE table_schema = DATABASE()",
          "SELECT 'constraint', table_name, constraint_name, constraint_type"
              + " FROM information_schema.table_constraints WHERE table_schema = DATABASE()",
          "SELECT 'check', constraint_name, check_clause"
              + " FROM information_schema.check_constraints WHERE constraint_schema = DATABASE()",
          "SELECT 'foreign key', table_name, constraint_name, referenced_table_name, delete_rule"
              + " FROM information_schema.referential_constraints"
              + " WHERE constraint_schema = DATABASE()",
          "SELECT 'table', table_name, engine, table_collation, create_options"
              + " FROM information_schema.tables WHERE table_schema = DATABASE()",
          "SELECT 'trigger', trigger_name FROM information_schema.triggers"
              + " WHERE trigger_schema = DATABASE()");

  private static final List<String> H2 =
      List.of(
          "SELECT 'column', table_name, column_name, data_type, character_maximum_length,"
              + " numeric_precision, datetime_precision, is_nullable, column_default, is_generated,"
              + " generation_expression, collation_name"
              + " FROM information_schema.columns WHERE table_schema = CURRENT_SCHEMA",
          "SELECT 'index', c.table_name, c.index_name, index_type_name, ordinal_position,"
              + " column_name, is_unique FROM information_schema.index_columns AS c"
              + " INNER JOIN information_schema.indexes AS i ON i.index_schema = c.index_schema"
              + " AND i.index_name = c.index_name WHERE c.index_schema = CURRENT_SCHEMA",
          "SELECT 'constraint', table_name, t.constraint_name, constraint_type, check_clause,"
              + " delete_rule FROM information_schema.table_constraints AS t"
              + " LEFT JOIN information_schema.check_constraints AS c"
              + " ON c.constraint_schema = t.constraint_schema"
              + " AND c.constraint_name = t.constraint_name"
              + " LEFT JOIN information_schema.referential_constraints AS r"
              + " ON r.constraint_schema = t.constraint_schema"
              + " AND r.constraint_name = t.constraint_name"
              + " WHERE t.constraint_schema = CURRENT_SCHEMA",
          "SELECT 'trigger', trigger_name FROM information_schema.triggers"
              + " WHERE trigger_schema = CURRENT_SCHEMA");

  /** Names that H2 makes up count on from table to table. */
  private static final String MADE_UP = "(\\bCONSTRAINT|_INDEX|\\bPRIMARY_KEY)_[0-9A-F_]+\\b";

  private SchemaShape() {}

  /** Returns one line for each fact, sorted. */
  static List<String> of(TestDatabase database) throws SQLException {
    List<String> facts = new ArrayList<>();
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      for (String query : queries(database)) {
        try (ResultSet row = statement.executeQuery(query)) {
          while (row.next()) {
            facts.add(fact(row));
          }
        }
      }
    }
    facts.sort(null);
    return facts;
  }

  private static List<String> queries(TestDatabase database) {
    if (database.product().isH2()) {
      return H2;
    }
    return database.product().isInnoDb() ? INNODB : POSTGRES;
  }

  private static String fact(ResultSet row) throws SQLException {
    StringBuilder fact = new StringBuilder();
    for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
      fact.append(row.getString(i)).append(" | ");
    }
    return fact.toString().replaceAll(MADE_UP, "$1");
  }
}
