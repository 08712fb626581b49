package outbox.admin.data;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.TestInstance;
import outbox.jdbc.db.Product;

/** What operators may rely on, whatever the database is. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class OperatedDatabaseContract {
  private final Product product;
  private Workshop shop;

  @SuppressWarnings("NullAway.Init")
  OperatedDatabaseContract(Product product) {
    this.product = product;
  }

  @BeforeAll
  void open() {
    shop = new Workshop(product);
  }

  @AfterAll
  void close() {
    if (shop != null) {
      shop.close();
    }
  }

  @BeforeEach
  void clear() {
    shop.clear();
  }

  @Nested
  class Lists extends EventListRules {
    @Override
    Workshop shop() {
      return shop;
    }
  }

  @Nested
  class FilteredLists extends FilterRules {
    @Override
    Workshop shop() {
      return shop;
    }
  }

  @Nested
  class Paging extends PagingRules {
    @Override
    Workshop shop() {
      return shop;
    }
  }

  @Nested
  class Events extends EventRules {
    @Override
    Workshop shop() {
      return shop;
    }
  }

  @Nested
  class Inboxes extends InboxRules {
    @Override
    Workshop shop() {
      return shop;
    }
  }

  @Nested
  class Joins extends JoinRules {
    @Override
    Workshop shop() {
      return shop;
    }
  }

  @Nested
  class Snapshots extends SnapshotRules {
    @Override
    Workshop shop() {
      return shop;
    }
  }

  @Nested
  class InternalMessages extends InternalMessageRules {
    @Override
    Workshop shop() {
      return shop;
    }
  }

  @Nested
  class Looks extends LookRules {
    @Override
    Workshop shop() {
      return shop;
    }
  }

  @Nested
  class Counting extends CountingRules {
    @Override
    Workshop shop() {
      return shop;
    }
  }
}
