package outbox.cli;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.admin.AdminConfig;
import outbox.admin.Role;
import picocli.CommandLine.Option;

/** Who gets in, and who may act. A token is never an argument, which others could see. */
final class AccessOptions {
  private static final int TOKEN_BYTES = 24;

  @Option(
      names = "--read-token-env",
      paramLabel = "VARIABLE",
      description = "variable that holds the token of those who look; made up by default")
  @Nullable String readVariable;

  @Option(
      names = "--admin-token-env",
      paramLabel = "VARIABLE",
      description = "variable that holds the token of those who also act; none by default")
  @Nullable String adminVariable;

  @Option(names = "--admin", description = "allow actions: a token for it is made up")
  boolean admin;

  @Option(
      names = "--anonymous",
      description = "every user of this machine may look, without a token")
  boolean anonymous;

  @Option(
      names = "--allowed-origin",
      paramLabel = "ORIGIN",
      description =
          "one more origin from which a browser may act, and by whose host --anonymous is reached,"
              + " such as https://ops.example.org behind a proxy; may be given several times")
  List<String> origins = new ArrayList<>();

  @Option(
      names = "--payloads",
      paramLabel = "ROLE",
      description = "who sees payloads: read or admin; hidden by default")
  @Nullable Role payloads;

  /** Adds them; returns the tokens that were made up, to be shown to the user. */
  Map<String, String> addTo(AdminConfig.Builder config) {
    Map<String, String> madeUp = new LinkedHashMap<>();
    if (anonymous) {
      config.anonymousRead();
    }
    if (readVariable != null) {
      config.readToken("reader", Passwords.ofVariable("--read-token-env", readVariable));
    } else if (!anonymous && adminVariable == null && !admin) {
      String token = token();
      config.readToken("reader", token);
      madeUp.put("readToken", token);
    }
    if (adminVariable != null) {
      config.adminToken("admin", Passwords.ofVariable("--admin-token-env", adminVariable));
    } else if (admin) {
      String token = token();
      config.adminToken("admin", token);
      madeUp.put("adminToken", token);
    }
    origins.forEach(origin -> allow(origin, config));
    if (payloads != null) {
      config.showPayloads(payloads);
    }
    return madeUp;
  }

  private static void allow(String origin, AdminConfig.Builder config) {
    try {
      config.allowedOrigin(origin);
    } catch (IllegalArgumentException e) {
      throw new WrongCallException(
          "--allowed-origin ("
              + origin
              + ") must be a scheme, a host and perhaps a port, such as https://ops.example.org");
    }
  }

  private static String token() {
    byte[] bytes = new byte[TOKEN_BYTES];
    new SecureRandom().nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }
}
