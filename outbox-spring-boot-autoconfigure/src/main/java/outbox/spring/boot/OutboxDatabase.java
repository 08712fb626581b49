package outbox.spring.boot;

import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionManager;
import outbox.spring.SpringTransactionRunner;
import outbox.spring.SpringTxContext;

/**
 * The data source and the transaction manager that an outbox works with: those that the properties
 * name, or the only ones.
 *
 * @param watched all transaction managers whose transactions publish; they are of this data source
 */
record OutboxDatabase(
    DataSource dataSource,
    PlatformTransactionManager transactionManager,
    List<PlatformTransactionManager> watched) {

  private static final String MANAGER = "outbox.transaction-manager";

  static OutboxDatabase of(DataSource given, PlatformTransactionManager manager) {
    DataSource dataSource = ManagedDataSource.target(given);
    return new OutboxDatabase(
        dataSource, own(manager, "The transaction manager", dataSource), List.of(manager));
  }

  static OutboxDatabase of(ListableBeanFactory beans, OutboxProperties properties) {
    DataSource dataSource = ManagedDataSource.target(dataSource(beans, properties.datasource()));
    Map<String, PlatformTransactionManager> managers =
        beans.getBeansOfType(PlatformTransactionManager.class);
    List<PlatformTransactionManager> matching =
        managers.values().stream()
            .filter(each -> ManagedDataSource.of(each) == dataSource)
            .toList();
    String name = properties.transactionManager();
    PlatformTransactionManager chosen =
        name == null
            ? only(matching, managers, dataSource)
            : own(
                bean(beans, MANAGER, name, PlatformTransactionManager.class),
                MANAGER + " (" + name + ")",
                dataSource);
    return new OutboxDatabase(
        dataSource, chosen, matching.contains(chosen) ? matching : List.of(chosen));
  }

  /** Whether transactions of this manager are those that publish. */
  boolean isOf(@Nullable TransactionManager manager) {
    return manager == transactionManager || watched.stream().anyMatch(each -> each == manager);
  }

  SpringTxContext txContext() {
    SpringTxContext context = new SpringTxContext(dataSource);
    for (PlatformTransactionManager each : watched) {
      if (each instanceof ConfigurableTransactionManager manager) {
        context.watch(manager);
      }
    }
    return context;
  }

  SpringTransactionRunner transactionRunner() {
    return new SpringTransactionRunner(transactionManager, dataSource);
  }

  private static DataSource dataSource(ListableBeanFactory beans, @Nullable String name) {
    if (name != null) {
      return bean(beans, "outbox.datasource", name, DataSource.class);
    }
    DataSource only = beans.getBeanProvider(DataSource.class).getIfUnique();
    if (only != null) {
      return only;
    }
    List<String> names = List.of(beans.getBeanNamesForType(DataSource.class));
    if (names.isEmpty()) {
      throw new OutboxSetupException(
          "The outbox needs a DataSource, and the application has none.",
          "Set spring.datasource.url, define a DataSource bean, or set outbox.enabled=false.");
    }
    throw new OutboxSetupException(
        "The outbox needs one DataSource, and the application has several: "
            + String.join(", ", names)
            + ".",
        "Set outbox.datasource to the name of one of them, or mark one as @Primary.");
  }

  private static PlatformTransactionManager only(
      List<PlatformTransactionManager> matching,
      Map<String, PlatformTransactionManager> all,
      DataSource dataSource) {
    if (matching.size() == 1) {
      return matching.get(0);
    }
    if (all.isEmpty()) {
      return new JdbcTransactionManager(dataSource);
    }
    throw new OutboxSetupException(
        "The outbox cannot tell which transaction manager belongs to its DataSource: "
            + String.join(", ", all.keySet())
            + ".",
        "Set outbox.transaction-manager to the name of the one whose transactions publish.");
  }

  /** One that does not show its data source is taken at its user's word. */
  private static PlatformTransactionManager own(
      PlatformTransactionManager manager, String name, DataSource dataSource) {
    DataSource its = ManagedDataSource.of(manager);
    if (its != null && its != dataSource) {
      throw new OutboxSetupException(
          name + " is not that of the outbox's DataSource.",
          "Name the transaction manager of that DataSource, or the DataSource of that manager.");
    }
    return manager;
  }

  private static <T> T bean(
      ListableBeanFactory beans, String property, String name, Class<T> type) {
    try {
      return beans.getBean(name, type);
    } catch (NoSuchBeanDefinitionException e) {
      throw new OutboxSetupException(
          property + " (" + name + ") names no bean of type " + type.getSimpleName() + ".",
          "Use one of: " + String.join(", ", beans.getBeanNamesForType(type)) + ".",
          e);
    }
  }
}
