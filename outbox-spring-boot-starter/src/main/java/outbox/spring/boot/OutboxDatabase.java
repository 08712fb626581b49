package outbox.spring.boot;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanWrapper;
import org.springframework.beans.PropertyAccessorFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.ResourceTransactionManager;
import outbox.spring.SpringTransactionRunner;
import outbox.spring.SpringTxContext;

/**
 * The data source and the transaction manager that the outbox works with: those that the properties
 * name, or the only ones.
 */
record OutboxDatabase(DataSource dataSource, PlatformTransactionManager transactionManager) {

  static OutboxDatabase of(ListableBeanFactory beans, OutboxProperties properties) {
    DataSource dataSource = dataSource(beans, properties.datasource());
    return new OutboxDatabase(
        dataSource, transactionManager(beans, properties.transactionManager(), dataSource));
  }

  SpringTxContext txContext() {
    return new SpringTxContext(dataSource);
  }

  SpringTransactionRunner transactionRunner() {
    return new SpringTransactionRunner(transactionManager, dataSource);
  }

  private static DataSource dataSource(ListableBeanFactory beans, @Nullable String name) {
    ObjectProvider<DataSource> candidates = beans.getBeanProvider(DataSource.class);
    if (name != null) {
      return named(beans, "outbox.datasource", name, DataSource.class);
    }
    DataSource only = candidates.getIfUnique();
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

  private static PlatformTransactionManager transactionManager(
      ListableBeanFactory beans, @Nullable String name, DataSource dataSource) {
    if (name != null) {
      return named(beans, "outbox.transaction-manager", name, PlatformTransactionManager.class);
    }
    Map<String, PlatformTransactionManager> candidates =
        beans.getBeansOfType(PlatformTransactionManager.class);
    List<PlatformTransactionManager> matching =
        candidates.values().stream().filter(each -> isOf(each, dataSource)).toList();
    if (matching.size() == 1) {
      return matching.get(0);
    }
    if (candidates.isEmpty()) {
      return new JdbcTransactionManager(dataSource);
    }
    throw new OutboxSetupException(
        "The outbox cannot tell which transaction manager belongs to its DataSource: "
            + String.join(", ", candidates.keySet())
            + ".",
        "Set outbox.transaction-manager to the name of the one whose transactions publish.");
  }

  /** That of JPA has the entity manager factory for its resource, and a data source beside. */
  private static boolean isOf(PlatformTransactionManager manager, DataSource dataSource) {
    if (manager instanceof ResourceTransactionManager resource
        && resource.getResourceFactory() == dataSource) {
      return true;
    }
    BeanWrapper properties = PropertyAccessorFactory.forBeanPropertyAccess(manager);
    return properties.isReadableProperty("dataSource")
        && Objects.equals(properties.getPropertyValue("dataSource"), dataSource);
  }

  private static <T> T named(
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
