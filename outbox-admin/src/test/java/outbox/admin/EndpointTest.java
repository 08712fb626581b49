package outbox.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import outbox.admin.Site.Reply;
import outbox.contracts.support.Spec;

/** Health and metrics at paths of their own, each with a rule of its own who may ask. */
class EndpointTest {
  private static final String SCRAPER = "scraper-token-0123456789";

  private static Site site;

  @BeforeAll
  static void start() {
    site =
        Site.start(
            it ->
                it.prometheus()
                    .healthEndpoint("/healthz", Access.anonymous())
                    .metricsEndpoint("/figures", Access.token("prometheus", SCRAPER)));
  }

  @AfterAll
  static void stop() {
    site.close();
  }

  @Test
  @Spec("IDEM-88")
  void healthIsThereForWhomItsOwnRuleLetsInAndNothingElseIs() {
    assertThat(get("/healthz", null).status()).isEqualTo(200);
    assertThat(get("/healthz", null).value("/status")).isEqualTo("OK");
    assertThat(get(Site.API + "/health", null).status()).isEqualTo(401);
    assertThat(get("/healthz/nodes", null).status()).isEqualTo(404);
    assertThat(get("/figures", null).status()).isEqualTo(401);
  }

  @Test
  @Spec("IDEM-88")
  void metricsAreThereForWhomTheirOwnRuleLetsInAndNothingElseIs() {
    assertThat(get("/figures", SCRAPER).json().at("/databases")).hasSize(1);
    assertThat(get("/figures/prometheus", SCRAPER).text()).contains("outbox_");
    assertThat(get("/figures", Site.ADMIN).status()).isEqualTo(401);
    assertThat(get(Site.API + "/metrics", SCRAPER).status()).isEqualTo(401);
    assertThat(get(Site.API, SCRAPER).status()).isEqualTo(401);
  }

  @Test
  @Spec("IDEM-88")
  void theApisOwnPathsKeepTheirRule() {
    assertThat(get(Site.API + "/health", Site.READER).status()).isEqualTo(200);
    assertThat(get(Site.API + "/metrics", Site.READER).status()).isEqualTo(200);
  }

  @Test
  @Spec("IDEM-88")
  void aContainerMapsThemAsTheConfigurationSays() {
    try (Container container =
        Container.start(it -> it.healthEndpoint("/probe/health", Access.anonymous()))) {
      assertThat(Wire.get(container.address(), "/app/probe/health")).contains(" 200 ");
      assertThat(Wire.get(container.address(), "/app/probe")).contains(" 404 ");
    }
  }

  @Test
  void twoAtOnePathAreRefused() {
    assertThatThrownBy(
            () ->
                Site.start(
                    it ->
                        it.healthEndpoint("/x", Access.anonymous())
                            .metricsEndpoint("/x", Access.anonymous())))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("/x");
    assertThatThrownBy(() -> Site.start(it -> it.healthEndpoint("", Access.anonymous())))
        .hasMessageContaining("healthEndpoint");
  }

  private static Reply get(String path, @Nullable String token) {
    var request = site.request("GET", path, null);
    return site.send(token == null ? request : request.header("Authorization", "Bearer " + token));
  }
}
