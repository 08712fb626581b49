package outbox.chaos.ledger;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** The table of entries, as the driver sees it. */
public final class Ledger {
  private static final String TABLE =
      "CREATE UNLOGGED TABLE entry (seq BIGSERIAL, at BIGINT NOT NULL, node TEXT NOT NULL, fact TEXT NOT NULL,"
          + " subject TEXT NOT NULL, id TEXT NOT NULL, detail TEXT NOT NULL)";
  static final String INSERT =
      "INSERT INTO entry (at, node, fact, subject, id, detail) VALUES (?, ?, ?, ?, ?, ?)";

  private final String url;

  public Ledger(String url) {
    this.url = url;
  }

  public void create() throws SQLException {
    execute(TABLE);
    execute("CREATE INDEX entry_id ON entry (id) WHERE fact = 'START'");
  }

  /** Forgets all entries. */
  public void clear() throws SQLException {
    execute("TRUNCATE entry");
  }

  /** All entries by time. */
  public List<Entry> read() throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        PreparedStatement select =
            connection.prepareStatement(
                "SELECT at, node, fact, subject, id, detail FROM entry ORDER BY at, seq");
        ResultSet rows = select.executeQuery()) {
      List<Entry> entries = new ArrayList<>();
      while (rows.next()) {
        entries.add(
            new Entry(
                rows.getLong(1),
                rows.getString(2).intern(),
                Fact.valueOf(rows.getString(3)),
                rows.getString(4).intern(),
                rows.getString(5),
                rows.getString(6)));
      }
      return entries;
    }
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
