package outbox.spring.boot;

import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanWrapper;
import org.springframework.beans.PropertyAccessorFactory;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.ResourceTransactionManager;

/** Which data source a transaction manager binds connections of. */
final class ManagedDataSource {
  private ManagedDataSource() {}

  /** That of JPA has the entity manager factory for its resource, and a data source beside. */
  static @Nullable DataSource of(PlatformTransactionManager manager) {
    if (manager instanceof ResourceTransactionManager resource
        && resource.getResourceFactory() instanceof DataSource dataSource) {
      return target(dataSource);
    }
    BeanWrapper properties = PropertyAccessorFactory.forBeanPropertyAccess(manager);
    return properties.isReadableProperty("dataSource")
            && properties.getPropertyValue("dataSource") instanceof DataSource dataSource
        ? target(dataSource)
        : null;
  }

  /** Managers look behind such a proxy, and an engine that used it would join transactions. */
  static DataSource target(DataSource dataSource) {
    return dataSource instanceof TransactionAwareDataSourceProxy proxy
            && proxy.getTargetDataSource() != null
        ? proxy.getTargetDataSource()
        : dataSource;
  }
}
