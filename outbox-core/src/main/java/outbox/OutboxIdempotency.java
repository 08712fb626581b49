package outbox;

import static java.util.Objects.requireNonNull;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import outbox.internal.text.StorableText;

/**
 * Makes idempotency keys: the same for the same logical event, in every process and in every
 * language.
 *
 * <p>The key is made of the text {@code tenant:category:entityId:kind:version}. Each part is taken
 * in lower case, with {@code %25} for {@code %} and {@code %3a} for {@code :}; a missing tenant is
 * empty, a missing version 0. The first 16 bytes of the text's SHA-256, in UTF-8, are the UUID, the
 * most significant first. They are not changed to look like one of the standard's versions.
 */
public final class OutboxIdempotency {
  private static final int V5_VERSION = 0x50;
  private static final int IETF_VARIANT = 0x80;

  private OutboxIdempotency() {}

  /** The key of something that happens to an entity once. */
  public static UUID createKey(
      @Nullable String tenantId, String category, String entityId, String kind) {
    return createKey(tenantId, category, entityId, kind, null);
  }

  /** The key of something that happens to an entity once in each of its versions. */
  public static UUID createKey(
      @Nullable String tenantId, String category, String entityId, String kind, long version) {
    return createKey(tenantId, category, entityId, kind, Long.toString(version));
  }

  /** Derives the key of an entity that has a number, without a version. */
  public static UUID createKey(
      @Nullable String tenantId, String category, long entityId, String kind) {
    return createKey(tenantId, category, Long.toString(entityId), kind, null);
  }

  /** Derives the key of a version of an entity that has a number. */
  public static UUID createKey(
      @Nullable String tenantId, String category, long entityId, String kind, long version) {
    return createKey(tenantId, category, Long.toString(entityId), kind, Long.toString(version));
  }

  /**
   * The key of a logical event.
   *
   * @param tenantId whose it is; null if there is only one
   * @param category what it happens to, such as {@code order}
   * @param entityId which one of them
   * @param kind what happens, such as {@code placed}
   * @param version what tells apart that it happens again: a version or sequence number, a day, a
   *     correlation id; null for 0
   * @throws IllegalArgumentException if the category, the entity's id, the kind or the version is
   *     empty, or if a part is no valid Unicode
   */
  public static UUID createKey(
      @Nullable String tenantId,
      String category,
      String entityId,
      String kind,
      @Nullable String version) {
    String text =
        String.join(
            ":",
            part("tenantId", tenantId == null ? "" : tenantId),
            required("category", category),
            required("entityId", entityId),
            required("kind", kind),
            required("version", version == null ? "0" : version));
    return uuid(digest("SHA-256", text.getBytes(StandardCharsets.UTF_8)));
  }

  /** A key that nothing else has, for an event without a natural identity. */
  public static UUID randomKey() {
    return UUID.randomUUID();
  }

  /** The name-based UUID of RFC 9562, version 5, for those who have such keys already. */
  public static UUID nameBasedKey(UUID namespace, String name) {
    StorableText.utf8Length("name", requireNonNull(name, "name"));
    byte[] text = name.getBytes(StandardCharsets.UTF_8);
    byte[] bytes =
        ByteBuffer.allocate(Long.BYTES * 2 + text.length)
            .putLong(requireNonNull(namespace, "namespace").getMostSignificantBits())
            .putLong(namespace.getLeastSignificantBits())
            .put(text)
            .array();
    byte[] hash = digest("SHA-1", bytes);
    hash[6] = (byte) ((hash[6] & 0x0F) | V5_VERSION);
    hash[8] = (byte) ((hash[8] & 0x3F) | IETF_VARIANT);
    return uuid(hash);
  }

  private static String required(String field, String value) {
    if (requireNonNull(value, field).isEmpty()) {
      throw new IllegalArgumentException(field + " must not be empty");
    }
    return part(field, value);
  }

  /** In lower case by itself: a letter may depend on its neighbours, and those are not its own. */
  private static String part(String field, String value) {
    StorableText.utf8Length(field, value);
    return value.toLowerCase(Locale.ROOT).replace("%", "%25").replace(":", "%3a");
  }

  private static UUID uuid(byte[] hash) {
    ByteBuffer bytes = ByteBuffer.wrap(hash);
    return new UUID(bytes.getLong(), bytes.getLong());
  }

  private static byte[] digest(String algorithm, byte[] bytes) {
    try {
      return MessageDigest.getInstance(algorithm).digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has " + algorithm, e);
    }
  }
}
