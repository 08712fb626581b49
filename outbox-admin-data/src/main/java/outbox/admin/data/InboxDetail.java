package outbox.admin.data;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * All about one message of an inbox.
 *
 * @param error the whole error of its last failure, or why it was discarded; null if none
 * @param timeline what is known of its life, in the order of time
 */
public record InboxDetail(
    InboxRow row,
    Map<String, String> headers,
    @Nullable String error,
    Payload payload,
    List<Moment> timeline) {}
