package outbox.admin;

import java.util.function.Function;
import outbox.admin.data.Page;
import outbox.admin.data.PageRequest;
import outbox.admin.json.JsonObject;

/** The pages of lists: how they are asked for, and how they look as JSON. */
final class PageJson {
  private PageJson() {}

  static PageRequest request(Arguments query) {
    return new PageRequest(
        (int) query.number("page", 1, Integer.MAX_VALUE, 1),
        (int) query.number("pageSize", 1, PageRequest.MAX_SIZE, PageRequest.DEFAULT_SIZE),
        query.text("cursor", PageRequest.MAX_CURSOR));
  }

  static <T> JsonObject of(Page<T> page, Function<T, JsonObject> row) {
    return new JsonObject()
        .put("items", page.items().stream().map(row).toList())
        .put("page", page.page())
        .put("pageSize", page.pageSize())
        .put("next", page.next())
        .put("previous", page.previous())
        .put("window", page.window());
  }
}
