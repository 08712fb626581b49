package outbox.spring;

import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Judges the connection that is bound to the thread for a data source. It is that of a transaction,
 * or one that was merely borrowed while a transaction of another data source runs. The holder does
 * not show which; transaction managers of JDBC can tell, so this is one that begins nothing.
 */
final class BoundConnection extends DataSourceTransactionManager {
  private static final long serialVersionUID = 1L;

  BoundConnection(DataSource dataSource) {
    super(dataSource);
  }

  /** JPA's manager marks its connections as neither active nor synchronized; they are its own. */
  boolean isTransactional() {
    ConnectionHolder holder = holder();
    return holder != null
        && (isExistingTransaction(doGetTransaction()) || !holder.isSynchronizedWithTransaction());
  }

  /** Watches the bound connection from now on; returns null if it is not that of a transaction. */
  @Nullable WatchedHolder watch() {
    ConnectionHolder holder = holder();
    if (holder instanceof WatchedHolder watched) {
      return watched;
    }
    if (holder == null || !isTransactional()) {
      return null;
    }
    WatchedHolder watched = new WatchedHolder(holder, isExistingTransaction(doGetTransaction()));
    TransactionSynchronizationManager.unbindResource(obtainDataSource());
    TransactionSynchronizationManager.bindResource(obtainDataSource(), watched);
    return watched;
  }

  private @Nullable ConnectionHolder holder() {
    return TransactionSynchronizationManager.getResource(obtainDataSource())
            instanceof ConnectionHolder holder
        ? holder
        : null;
  }
}
