package outbox.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import outbox.spi.StoreException;

class TroubleTest {
  @RegisterExtension final LoggedLines lines = new LoggedLines(Trouble.class.getName());

  private final Trouble trouble = new Trouble("main");

  @Test
  void isToldOnceHoweverOftenItIsSeen() {
    trouble.noTables();
    trouble.noTables();
    trouble.failed(refused("after 5001 ms"));
    trouble.failed(refused("after 5002 ms"));

    assertThat(lines.all)
        .containsExactly(
            "OUTBOX_ADMIN_NO_TABLES database=main", "OUTBOX_ADMIN_LOOK_FAILED database=main");
  }

  @Test
  void isToldAgainWhenItChanges() {
    trouble.over();
    trouble.failed(refused("connection refused"));
    trouble.failed(new StoreException("failed", new SQLException("no such user", "28000")));
    trouble.over();
    trouble.over();
    trouble.failed(refused("connection refused"));

    assertThat(lines.all)
        .containsExactly(
            "OUTBOX_ADMIN_LOOK_FAILED database=main",
            "OUTBOX_ADMIN_LOOK_FAILED database=main",
            "OUTBOX_ADMIN_LOOKS_AGAIN database=main",
            "OUTBOX_ADMIN_LOOK_FAILED database=main");
  }

  private static StoreException refused(String text) {
    return new StoreException("failed", new SQLException(text, "08001"));
  }
}
