package outbox.jdbc;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import outbox.contracts.support.Spec;
import outbox.jdbc.internal.dialect.Dialect;

/** States which way dependencies point, and what the core and the JDBC module may depend on. */
class ArchitectureTest {
  private static final JavaClasses CORE = classesOf("outbox-core");
  private static final JavaClasses JDBC = classesOf("outbox-jdbc");
  private static final JavaClasses MAIN = classesOf("outbox-(core|jdbc)");

  private static final String ENGINE = "outbox.internal.engine.";
  private static final Set<String> JDK_MODULES = Set.of("java.base", "java.sql");
  private static final String[] CORE_PACKAGES = {
    "outbox",
    "outbox.dispatch..",
    "outbox.inbox..",
    "outbox.internal..",
    "outbox.join..",
    "outbox.metrics..",
    "outbox.model..",
    "outbox.poller..",
    "outbox.registry..",
    "outbox.routing..",
    "outbox.spi..",
    "outbox.util.."
  };

  /** The leaves: they depend on the JDK and on each other, downwards. */
  private static final String TEXT = "outbox.internal.text..";

  private static final String BATCH = "outbox.internal.batch..";
  private static final String HANDLER = "outbox.internal.handler..";
  private static final String UTIL = "outbox.internal.util..";
  private static final String CONNECTION = "outbox.internal.connection..";
  private static final String WATCH = "outbox.internal.watch..";
  private static final String GUARD = "outbox.internal.guard..";
  private static final String BROKER = "outbox.internal.broker..";
  private static final String QUEUE = "outbox.internal.queue..";

  /**
   * They put parts together in the packages of the API, where the specification and the
   * applications look for them; each counts as a slice of its own.
   */
  private static final Set<String> FACADES = Set.of("outbox.OutboxClient", "outbox.OutboxBuilder");

  /** What of the package of the dispatcher is no part of the engine. */
  private static final Set<String> DISPATCH_API =
      Set.of(
          "outbox.dispatch.Delays",
          "outbox.dispatch.ExponentialBackoffRetryPolicy",
          "outbox.dispatch.QueuedEvent",
          "outbox.dispatch.Retries",
          "outbox.dispatch.RetryPolicy");

  private static JavaClasses classesOf(String module) {
    Pattern place =
        Pattern.compile(".*/(%1$s)/target/(classes/|%1$s-[^/]*\\.jar!/).*".formatted(module));
    return new ClassFileImporter()
        .withImportOption(location -> location.matches(place))
        .importPackages("outbox");
  }

  @Test
  @Spec({"FRM-07", "FRM-15"})
  void coreDependsOnNothingButTheJdk() {
    classes()
        .should()
        .onlyDependOnClassesThat(inCore().or(inJdkModules()).or(nullnessAnnotations()))
        .check(CORE);
  }

  @Test
  @Spec({"FRM-07", "FRM-15"})
  void coreDeclaresNoRuntimeDependency() throws Exception {
    assertThat(scopesOfDependencies(Path.of("../pom.xml"))).isSubsetOf("provided", "test");
    assertThat(scopesOfDependencies(Path.of("../outbox-core/pom.xml")))
        .isSubsetOf("provided", "test");
  }

  @Test
  @Spec({"FRM-07", "FRM-09"})
  void nothingDependsOnSpring() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.springframework..")
        .check(MAIN);
  }

  @Test
  @Spec("FRM-08")
  void jdbcModuleUsesStandardJdbcAndTheCoreOnly() {
    classes()
        .should()
        .onlyDependOnClassesThat(
            inCore()
                .or(JavaClass.Predicates.resideInAPackage("outbox.jdbc.."))
                .or(inJdkModules())
                .or(nullnessAnnotations())
                .or(postgresDriver()))
        .check(JDBC);
  }

  @Test
  @Spec("FRM-08")
  void oneClassAtMostKnowsTheDriverOfAVendor() {
    Set<String> classesThatKnow =
        JDBC.stream()
            .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
            .filter(dependency -> postgresDriver().test(dependency.getTargetClass()))
            .map(Dependency::getOriginClass)
            .map(type -> type.getName().replaceFirst("\\$.*", ""))
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(classesThatKnow).hasSizeLessThanOrEqualTo(1);
  }

  @Test
  @Spec("FRM-10")
  void nothingTakesPartInDistributedTransactions() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("javax.transaction..", "jakarta.transaction..")
        .orShould()
        .dependOnClassesThat()
        .haveNameMatching("javax\\.sql\\.XA.*")
        .check(MAIN);
  }

  @Test
  @Spec("FRM-39")
  void nothingIsConfiguredOrRoutedByTenant() {
    assertThat(CORE.get("outbox.OutboxConfig").getMembers())
        .extracting(member -> member.getName().toLowerCase(Locale.ROOT))
        .noneMatch(name -> name.contains("tenant"));
    noClasses()
        .that()
        .resideInAPackage("outbox.registry..")
        .should()
        .callMethodWhere(target(name("tenantId")))
        .check(CORE);
  }

  @Test
  @Spec("FRM-85")
  void listenersAreToldToPassTheEventIdOn() throws Exception {
    String listener =
        Files.readString(Path.of("../outbox-core/src/main/java/outbox/EventListener.java"));
    assertThat(listener.replaceAll("\\s+\\*\\s+", " "))
        .contains("EventEnvelope#eventId()")
        .contains("a listener that publishes to a broker passes it on");
  }

  @Test
  void packagesOfTheCoreAreFreeOfCycles() {
    slices().assignedFrom(new Rooms()).should().beFreeOfCycles().check(CORE);
  }

  @Test
  void nothingButApplicationsAndOtherFacadesUsesAClient() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .haveFullyQualifiedName("outbox.OutboxClient")
        .check(CORE);
  }

  @Test
  void utilitiesDependOnNothingElseOfTheCore() {
    onlyDependsInsideOn("outbox.util..", "outbox.util..");
    onlyDependsInsideOn(TEXT, TEXT);
    onlyDependsInsideOn(UTIL, UTIL);
    onlyDependsInsideOn(CONNECTION, CONNECTION);
    onlyDependsInsideOn(WATCH, WATCH, CONNECTION);
  }

  @Test
  void theWorkQueueKnowsApiAndSpiAndOfTheEngineItsHotPathAndItsDelays() {
    onlyDependsInsideOn(
        QUEUE,
        "outbox",
        "outbox.dispatch",
        "outbox.model..",
        "outbox.spi..",
        GUARD,
        QUEUE,
        TEXT,
        UTIL);
    noClasses()
        .that()
        .resideInAPackage(QUEUE)
        .should()
        .dependOnClassesThat(
            resideInAPackage("outbox.dispatch..")
                .and(
                    DescribedPredicate.describe(
                        "of the engine", type -> !DISPATCH_API.contains(outermost(type)))))
        .check(CORE);
  }

  @Test
  void modelAndSpiDoNotKnowTheEngine() {
    onlyDependsInsideOn("outbox.model..", "outbox.model..", "outbox.util..", TEXT);
    onlyDependsInsideOn(
        "outbox.spi..", "outbox", "outbox.model..", "outbox.spi..", CONNECTION, WATCH);
    onlyDependsInsideOn(GUARD, GUARD, "outbox.spi..");
  }

  @Test
  void registryDoesNotKnowTheEngine() {
    onlyDependsInsideOn("outbox.registry..", "outbox", "outbox.registry..", BATCH, HANDLER, TEXT);
    onlyDependsInsideOn(BATCH, "outbox", BATCH);
    onlyDependsInsideOn(HANDLER, "outbox", "outbox.model..", HANDLER);
  }

  @Test
  void routingDoesNotKnowTheEngine() {
    onlyDependsInsideOn(
        "outbox.routing..", "outbox", "outbox.model..", "outbox.routing..", "outbox.spi..", TEXT);
  }

  @Test
  void theInboxKnowsNoEngineAndTheEngineNoInbox() {
    onlyDependsInsideOn(
        "outbox.inbox..",
        "outbox",
        BATCH,
        "outbox.inbox..",
        "outbox.model..",
        "outbox.registry..",
        "outbox.spi..",
        GUARD,
        HANDLER,
        QUEUE,
        TEXT);
    noClasses()
        .that()
        .resideOutsideOfPackages("outbox.inbox..", BROKER)
        .should()
        .dependOnClassesThat()
        .resideInAPackage("outbox.inbox..")
        .check(CORE);
  }

  @Test
  void theModulesForBrokersShareWhatTheCoreDoesNotKnow() {
    onlyDependsInsideOn(BROKER, "outbox", "outbox.inbox..", BROKER);
    noClasses()
        .that()
        .resideOutsideOfPackage(BROKER)
        .should()
        .dependOnClassesThat()
        .resideInAPackage(BROKER)
        .check(CORE);
  }

  @Test
  void joinsAreBuiltOnApiAndSpiOnlyAndNothingKnowsOfThem() {
    onlyDependsInsideOn(
        "outbox.join..",
        "outbox",
        "outbox.join..",
        "outbox.model..",
        HANDLER,
        "outbox.spi..",
        "outbox.util..",
        CONNECTION,
        GUARD,
        TEXT);
    noClasses()
        .that()
        .resideInAnyPackage(
            "outbox.dispatch..", "outbox.internal.engine..", "outbox.poller..", "outbox.registry..")
        .should()
        .dependOnClassesThat()
        .haveNameMatching(".*\\.(join\\..*|Join[A-Z].*)")
        .check(CORE);
  }

  @Test
  void retentionIsBuiltOnApiAndSpiOnlyAndNothingKnowsOfIt() {
    onlyDependsInsideOn(
        "outbox.internal.retention..",
        "outbox",
        "outbox.internal.retention..",
        "outbox.spi..",
        TEXT,
        UTIL);
    noClasses()
        .that()
        .resideOutsideOfPackage("outbox.internal.retention..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("outbox.internal.retention..")
        .check(CORE);
  }

  @Test
  void metricsAreComputedFromFactsAloneAndNothingKnowsOfThem() {
    onlyDependsInsideOn("outbox.metrics..", "outbox.metrics..", "outbox.spi..");
    noClasses()
        .that()
        .resideOutsideOfPackage("outbox.metrics..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("outbox.metrics..")
        .check(CORE);
  }

  @Test
  void dispatcherDoesNotKnowThePoller() {
    noClasses()
        .that()
        .resideInAPackage("outbox.dispatch..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("outbox.poller..")
        .check(CORE);
  }

  @Test
  void theEngineDoesNotKnowThePackagesThatApplicationsStartItBy() {
    noClasses()
        .that()
        .resideInAPackage("outbox.internal.engine..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("outbox.dispatch..", "outbox.poller..")
        .check(CORE);
  }

  @Test
  void thePackagesOfTheEngineAreFreeOfCyclesAndSmall() {
    slices().matching("outbox.(**)").should().beFreeOfCycles().check(engine());
    assertThat(Knots.topLevelClassesByPackage(engine()))
        .allSatisfy((name, classes) -> assertThat(classes).as(name).hasSizeLessThan(26));
  }

  @Test
  void thePackagesOfTheEngineAreLayers() {
    layeredArchitecture()
        .consideringOnlyDependenciesInLayers()
        .layer("common")
        .definedBy(ENGINE + "common")
        .layer("delivery")
        .definedBy(ENGINE + "delivery")
        .layer("health")
        .definedBy(ENGINE + "health")
        .layer("lanes")
        .definedBy(ENGINE + "lanes")
        .layer("lease")
        .definedBy(ENGINE + "lease")
        .layer("schedule")
        .definedBy(ENGINE + "schedule")
        .layer("completion")
        .definedBy(ENGINE + "completion")
        .layer("handling")
        .definedBy(ENGINE + "handling")
        .layer("intake")
        .definedBy(ENGINE + "intake")
        .whereLayer("common")
        .mayNotAccessAnyLayer()
        .whereLayer("delivery")
        .mayOnlyAccessLayers("common")
        .whereLayer("health")
        .mayOnlyAccessLayers("common")
        .whereLayer("lanes")
        .mayOnlyAccessLayers("common", "delivery")
        .whereLayer("lease")
        .mayOnlyAccessLayers("common", "delivery", "health")
        .whereLayer("schedule")
        .mayOnlyAccessLayers("delivery", "health", "lanes")
        .whereLayer("completion")
        .mayOnlyAccessLayers("common", "delivery", "health", "lease")
        .whereLayer("handling")
        .mayOnlyAccessLayers("common", "completion", "delivery", "health", "lease")
        .whereLayer("intake")
        .mayOnlyAccessLayers(
            "common", "completion", "delivery", "health", "lanes", "lease", "schedule")
        .check(CORE);
  }

  @Test
  void noEightClassesOfTheEngineDependOnEachOther() {
    assertThat(Knots.of(engine()))
        .as("the finder finds those that are meant to know each other")
        .contains(
            Set.of(
                ENGINE + "delivery.Delivery",
                ENGINE + "delivery.DeliveryBatch",
                ENGINE + "delivery.Origin",
                ENGINE + "delivery.Work"))
        .allSatisfy(knot -> assertThat(knot).hasSizeLessThan(8));
  }

  private static JavaClasses engine() {
    return CORE.that(
        resideInAnyPackage("outbox.internal.engine..", "outbox.dispatch..", "outbox.poller.."));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "outbox",
        "outbox.spi",
        "outbox.model",
        "outbox.dispatch",
        "outbox.inbox",
        "outbox.poller",
        "outbox.registry",
        "outbox.util"
      })
  @Spec("FRM-15")
  void coreHasThePackage(String packageName) {
    assertThat(CORE.stream().map(JavaClass::getPackageName)).contains(packageName);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "outbox.OutboxClient",
        "outbox.spi.TxContext",
        "outbox.spi.EventStore",
        "outbox.dispatch.OutboxDispatcher",
        "outbox.registry.ListenerRegistry",
        "outbox.poller.OutboxPoller",
        "outbox.dispatch.InFlightTracker"
      })
  @Spec("FRM-11")
  void coreHasTheComponent(String className) {
    assertThat(publicClassesOf(CORE)).contains(className);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "outbox.jdbc.JdbcOutboxRepository",
        "outbox.jdbc.ThreadLocalTxContext",
        "outbox.jdbc.JdbcTransactionManager",
        "outbox.jdbc.DataSourceConnectionProvider"
      })
  @Spec("FRM-17")
  void jdbcModuleHasTheClass(String className) {
    assertThat(publicClassesOf(JDBC)).contains(className);
  }

  /** Each package may use those that are named after it, and the facades use all of them. */
  @Test
  void packagesOfTheJdbcModuleAreLayersWithoutCycles() {
    slices().matching("outbox.(**)").should().beFreeOfCycles().check(JDBC);
    jdbcMayUse("internal.dialect");
    jdbcMayUse("internal.tx", "internal.dialect");
    jdbcMayUse("internal.sql", "internal.dialect");
    jdbcMayUse("internal.query", "internal.sql", "internal.dialect");
    jdbcMayUse("internal.store", "internal.sql", "internal.tx", "internal.dialect");
    jdbcMayUse("internal.join", "internal.sql", "internal.dialect");
    jdbcMayUse("internal.pool", "internal.dialect");
    jdbcMayUse("internal.schema", "internal.sql", "internal.tx", "internal.dialect");
    jdbcMayUse("schema", "internal.schema", "internal.sql", "internal.dialect");
  }

  private static void jdbcMayUse(String layer, String... others) {
    String[] allowed =
        Stream.concat(Stream.of(layer), Stream.of(others))
            .map(name -> "outbox.jdbc." + name)
            .toArray(String[]::new);
    noClasses()
        .that()
        .resideInAPackage("outbox.jdbc." + layer)
        .should()
        .dependOnClassesThat(
            resideInAPackage("outbox.jdbc..")
                .and(JavaClass.Predicates.resideOutsideOfPackages(allowed)))
        .check(JDBC);
  }

  @Test
  void noEightClassesOfTheJdbcModuleNeedEachOther() {
    assertThat(Knots.of(JDBC))
        .allSatisfy(knot -> assertThat(knot).hasSizeLessThan(8))
        .as("a store and its builder, which show that knots are found")
        .contains(
            new TreeSet<>(
                Set.of(
                    "outbox.jdbc.JdbcOutboxRepository",
                    "outbox.jdbc.JdbcOutboxRepositoryBuilder")));
  }

  @Test
  void aUserOfStatementsAsksADialectInsteadOfKnowingTheDatabase() {
    noClasses()
        .that()
        .resideOutsideOfPackage("outbox.jdbc.internal.dialect")
        .should()
        .dependOnClassesThat(
            assignableTo(Dialect.class).and(not(JavaClass.Predicates.type(Dialect.class))))
        .check(JDBC);
  }

  @Test
  void nothingPrints() {
    NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS.check(MAIN);
  }

  @Test
  void nothingSleeps() {
    noClasses()
        .should()
        .callMethodWhere(target(name("sleep")).and(target(owner(name("java.lang.Thread")))))
        .check(MAIN);
  }

  private static String outermost(JavaClass type) {
    return type.getName().replaceFirst("\\$.*", "");
  }

  private static DescribedPredicate<JavaClass> inCore() {
    return JavaClass.Predicates.resideInAnyPackage(CORE_PACKAGES);
  }

  private static DescribedPredicate<JavaClass> inJdkModules() {
    return DescribedPredicate.describe(
        "in the modules " + JDK_MODULES, type -> JDK_MODULES.contains(moduleOf(type)));
  }

  private static String moduleOf(JavaClass type) {
    return String.valueOf(type.getBaseComponentType().reflect().getModule().getName());
  }

  private static DescribedPredicate<JavaClass> nullnessAnnotations() {
    return JavaClass.Predicates.resideInAPackage("org.jspecify.annotations");
  }

  private static DescribedPredicate<JavaClass> postgresDriver() {
    return JavaClass.Predicates.resideInAPackage("org.postgresql..");
  }

  private static void onlyDependsInsideOn(String packages, String... allowed) {
    noClasses()
        .that()
        .resideInAPackage(packages)
        .should()
        .dependOnClassesThat(
            JavaClass.Predicates.resideInAPackage("outbox..")
                .and(JavaClass.Predicates.resideOutsideOfPackages(allowed)))
        .check(CORE);
  }

  /** The packages, but for the facades and the engine, which shares a package with its API. */
  private static final class Rooms implements SliceAssignment {
    @Override
    public SliceIdentifier getIdentifierOf(JavaClass type) {
      String name = outermost(type);
      if (FACADES.contains(name)) {
        return SliceIdentifier.of(name);
      }
      boolean engine =
          type.getPackageName().equals("outbox.dispatch") && !DISPATCH_API.contains(name);
      return SliceIdentifier.of(engine ? "the engine" : type.getPackageName());
    }

    @Override
    public String getDescription() {
      return "packages of the core";
    }
  }

  private static List<String> publicClassesOf(JavaClasses classes) {
    return classes.stream()
        .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
        .map(JavaClass::getName)
        .toList();
  }

  private static List<String> scopesOfDependencies(Path pom) throws Exception {
    Element project =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(pom.toFile())
            .getDocumentElement();
    return children(project, "dependencies")
        .flatMap(dependencies -> children(dependencies, "dependency"))
        .map(ArchitectureTest::scopeOf)
        .toList();
  }

  private static String scopeOf(Element dependency) {
    return children(dependency, "scope").map(Element::getTextContent).findFirst().orElse("compile");
  }

  private static Stream<Element> children(Element parent, String tag) {
    NodeList nodes = parent.getChildNodes();
    return IntStream.range(0, nodes.getLength())
        .mapToObj(nodes::item)
        .filter(Element.class::isInstance)
        .map(Element.class::cast)
        .filter(element -> element.getTagName().equals(tag));
  }
}
