package outbox.jdbc;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.spi.LeasedEventStore.ClaimRequest;
import outbox.spi.LeasedEventStore.Failure;

@org.jspecify.annotations.NullUnmarked
class PlansSmokeTest {
  static final Duration MINUTE = Duration.ofMinutes(1);
  final JdbcOutboxRepository store = new JdbcOutboxRepository();

  @Test
  void plans() throws Exception {
    try (EmbeddedPostgres pg = EmbeddedPostgres.start()) {
      var ds = pg.getPostgresDatabase();
      try (Connection c = ds.getConnection();
          Statement s = c.createStatement()) {
        OutboxSchema.of(ds).deploy();
        s.execute("ALTER TABLE outbox_event SET (autovacuum_enabled = false)");
        s.execute("ANALYZE outbox_event");
        fill(s, "a", 0, 1_000_000);
        measure("(a) analysed empty, 1M pending", c);
        s.execute("ANALYZE outbox_event");
        measure("(b) analysed, 1M pending", c);
        s.execute("TRUNCATE outbox_event");
        s.execute("ANALYZE outbox_event");
        fill(s, "d", 1, 5_000_000);
        fill(s, "e", 0, 10_000);
        measure("(c1) analysed empty, 5M done + 10k pending", c);
        s.execute("ANALYZE outbox_event");
        measure("(c2) analysed, 5M done + 10k pending", c);
      }
    }
  }

  void fill(Statement s, String prefix, int status, int n) throws Exception {
    s.execute(
        "INSERT INTO outbox_event (event_id, event_type, payload_text, status, available_at,"
            + " created_at, occurred_at) SELECT '"
            + prefix
            + "' || lpad(i::text, 25, '0'), 'T', repeat('x', 200), "
            + status
            + ", now() - interval '1 h' + i * interval '1 ms', now(), now() FROM"
            + " generate_series(1, "
            + n
            + ") i");
  }

  void measure(String what, Connection c) throws Exception {
    explain(c, "claim");
    for (int round = 0; round < 2; round++) {
      long claim = 0, renew = 0, abandon = 0, ack = 0;
      int n = 20;
      for (int i = 0; i < n; i++) {
        long t0 = System.nanoTime();
        var claimed = store.claim(c, new ClaimRequest("o", MINUTE, 200, 1 << 30, null, MINUTE));
        List<String> ids = claimed.events().stream().map(e -> e.event().eventId()).toList();
        long t1 = System.nanoTime();
        if (store.renew(c, "o", ids, MINUTE).size() != 200) throw new AssertionError();
        long t2 = System.nanoTime();
        List<String> half = ids.subList(0, 100);
        store.abandon(c, "o", half.stream().map(id -> new Failure(id, MINUTE, "error")).toList());
        long t3 = System.nanoTime();
        if (store.ack(c, "o", ids).size() != 100) throw new AssertionError();
        long t4 = System.nanoTime();
        claim += t1 - t0;
        renew += t2 - t1;
        abandon += t3 - t2;
        ack += t4 - t3;
      }
      System.out.printf(
          "PLAN %s: ms per claim(200) %.1f renew(200) %.1f abandon(100) %.1f ack(100) %.1f%n",
          what, claim / 1e6 / n, renew / 1e6 / n, abandon / 1e6 / n, ack / 1e6 / n);
    }
    explain(c, "ack");
    explain(c, "abandon");
    explain(c, "reap");
  }

  void explain(Connection c, String name) throws Exception {
    Dialect d = Dialects.of(c);
    Statements st = new Statements(d, TableName.DEFAULT, null);
    List<Failure> f =
        java.util.stream.IntStream.range(0, 200)
            .mapToObj(i -> new Failure(String.format("e%025d", i), MINUTE, "e"))
            .toList();
    Parameters p =
        d.ids(st.parameters(), f.stream().map(Failure::eventId).toList())
            .array("delays", "bigint", f.stream().map(x -> 1L).toArray())
            .array("errors", "text", f.stream().map(x -> "x").toArray())
            .text("owner", "zz")
            .duration("lease", MINUTE)
            .duration("grace", MINUTE)
            .number("limit", 200)
            .number("max_bytes", 1 << 30)
            .instant("after", null)
            .duration("skip_recent", MINUTE);
    StringBuilder out = new StringBuilder();
    boolean auto = c.getAutoCommit();
    c.setAutoCommit(false);
    NamedStatement named =
        new NamedStatement(
            "x",
            "EXPLAIN "
                + SqlFile.named("postgresql.sql")
                    .get(name)
                    .replace("{table}", "outbox_event")
                    .replace("{now}", d.now()));
    try (PreparedStatement ps = c.prepareStatement(named.sql(p))) {
      int i = 0;
      for (var v : named.values(p)) v.set(ps, ++i);
      d.prepareBulk(ps);
      try (ResultSet rs = ps.executeQuery()) {
        while (rs.next()) out.append("\n").append(rs.getString(1));
      }
    }
    c.rollback();
    c.setAutoCommit(auto);
    String plan = out.toString();
    System.out.println(
        "EXPLAIN "
            + name
            + (plan.contains("Seq Scan") ? " SEQ SCAN!" : " ok")
            + plan.lines()
                .filter(l -> l.contains("Scan") || l.contains("Sort") || l.contains("Join"))
                .reduce("", (a, b) -> a + "\n" + b));
  }
}
