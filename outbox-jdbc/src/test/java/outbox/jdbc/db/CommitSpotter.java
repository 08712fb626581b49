package outbox.jdbc.db;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/**
 * Follows what a client sends on one connection and tells when that is a COMMIT. Not thread-safe.
 */
public abstract class CommitSpotter {
  private static final int KEPT = 256;
  private static final String COMMIT = "COMMIT";

  private final byte[] header;
  private final byte[] body = new byte[KEPT];
  private int headerRead;
  private int bodyRead;
  private int bodyLength;
  private boolean seen;

  private CommitSpotter(int headerLength) {
    this.header = new byte[headerLength];
  }

  /** Of PostgreSQL's protocol, without encryption. */
  public static CommitSpotter ofPostgres() {
    return new Postgres();
  }

  /** Of the protocol of MariaDB and MySQL, without encryption and compression. */
  public static CommitSpotter ofMariaDb() {
    return new MariaDb();
  }

  /** Whether a COMMIT begins or ends among these bytes, which follow those of the last call. */
  public final boolean sees(byte[] bytes, int length) {
    seen = false;
    for (int i = 0; i < length; i++) {
      take(bytes[i]);
    }
    return seen;
  }

  private void take(byte next) {
    if (headerRead < headerLength()) {
      header[headerRead++] = next;
      if (headerRead == headerLength()) {
        bodyLength = bodyLength(header);
        endIfWhole();
      }
      return;
    }
    if (bodyRead < KEPT) {
      body[bodyRead] = next;
    }
    bodyRead++;
    endIfWhole();
  }

  private void endIfWhole() {
    if (bodyRead >= bodyLength) {
      seen |= isCommit(header, body, Math.min(bodyRead, KEPT));
      headerRead = 0;
      bodyRead = 0;
    }
  }

  int headerLength() {
    return header.length;
  }

  abstract int bodyLength(byte[] header);

  abstract boolean isCommit(byte[] header, byte[] body, int length);

  private static boolean isCommit(String text) {
    return text.strip().toUpperCase(Locale.ROOT).startsWith(COMMIT);
  }

  /** A text that ends with zero, or with the body. */
  private static String text(byte[] body, int from, int length) {
    int end = from;
    while (end < length && body[end] != 0) {
      end++;
    }
    return new String(body, from, end - from, US_ASCII);
  }

  /** The driver parses COMMIT once per connection as a named statement, and then only binds it. */
  private static final class Postgres extends CommitSpotter {
    private static final int SSL_REQUEST = 80877103;
    private static final int GSS_REQUEST = 80877104;

    private final Set<String> commits = new HashSet<>();
    private boolean started;

    private Postgres() {
      super(5);
    }

    /** Those who have not started yet send no type. */
    @Override
    int headerLength() {
      return started ? 5 : 4;
    }

    @Override
    int bodyLength(byte[] header) {
      return integer(header, started ? 1 : 0) - 4;
    }

    @Override
    boolean isCommit(byte[] header, byte[] body, int length) {
      if (!started) {
        int code = length < 4 ? 0 : integer(body, 0);
        started = code != SSL_REQUEST && code != GSS_REQUEST;
        return false;
      }
      String first = text(body, 0, length);
      String second = text(body, Math.min(first.length() + 1, length), length);
      return switch (header[0]) {
        case 'Q' -> CommitSpotter.isCommit(first);
        case 'P' -> parsed(first, second);
        case 'B' -> commits.contains(second);
        default -> false;
      };
    }

    private boolean parsed(String name, String sql) {
      if (CommitSpotter.isCommit(sql)) {
        commits.add(name);
      } else {
        commits.remove(name);
      }
      return false;
    }

    private static int integer(byte[] bytes, int from) {
      return ByteBuffer.wrap(bytes, from, Integer.BYTES).getInt();
    }
  }

  private static final class MariaDb extends CommitSpotter {
    private static final int COM_QUERY = 3;

    private MariaDb() {
      super(4);
    }

    @Override
    int bodyLength(byte[] header) {
      return (header[0] & 0xff) + 256 * ((header[1] & 0xff) + 256 * (header[2] & 0xff));
    }

    @Override
    boolean isCommit(byte[] header, byte[] body, int length) {
      return header[3] == 0
          && length > 1
          && body[0] == COM_QUERY
          && CommitSpotter.isCommit(text(body, textStart(body, length), length));
    }

    /** MySQL's driver says first that there are no attributes, in one set. */
    private static int textStart(byte[] body, int length) {
      return length > 3 && body[1] == 0 && body[2] == 1 ? 3 : 1;
    }
  }
}
