package outbox.spring;

import jakarta.persistence.Entity;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.sql.SQLException;
import java.util.Map;
import java.util.Objects;
import javax.sql.DataSource;
import org.hibernate.Session;
import org.jooq.DSLContext;
import org.jooq.impl.DSL;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.PlatformTransactionManager;

/** The application's own table, written in the way of each framework, with its transactions. */
interface BusinessTable extends AutoCloseable {

  PlatformTransactionManager transactionManager();

  void insert(String id);

  /** Inserts a row on the framework's own connection and catches the failure. */
  default boolean isRefused(String id) {
    try {
      insert(id);
      return false;
    } catch (RuntimeException e) {
      return true;
    }
  }

  @Override
  default void close() {}

  /** Which framework. */
  enum Kind {
    JDBC,
    JDBC_TRANSLATING,
    JOOQ,
    JPA;

    BusinessTable on(DataSource dataSource) {
      if (this != JPA) {
        new JdbcTemplate(dataSource).execute("CREATE TABLE orders (id VARCHAR(36) PRIMARY KEY)");
      }
      return switch (this) {
        case JDBC -> new Jdbc(new DataSourceTransactionManager(dataSource), dataSource);
        case JDBC_TRANSLATING -> new Jdbc(new JdbcTransactionManager(dataSource), dataSource);
        case JOOQ -> new Jooq(dataSource);
        case JPA -> Jpa.on(dataSource);
      };
    }
  }

  /** Plain JDBC. */
  record Jdbc(PlatformTransactionManager transactionManager, DataSource dataSource)
      implements BusinessTable {
    @Override
    public void insert(String id) {
      new JdbcTemplate(dataSource).update("INSERT INTO orders (id) VALUES (?)", id);
    }
  }

  /** The same tables through jOOQ. */
  record Jooq(PlatformTransactionManager transactionManager, DSLContext jooq)
      implements BusinessTable {
    Jooq(DataSource dataSource) {
      this(
          new DataSourceTransactionManager(dataSource),
          DSL.using(new TransactionAwareDataSourceProxy(dataSource), org.jooq.SQLDialect.DEFAULT));
    }

    @Override
    public void insert(String id) {
      jooq.insertInto(DSL.table("orders")).columns(DSL.field("id")).values(id).execute();
    }
  }

  /** Through Hibernate. */
  record Jpa(PlatformTransactionManager transactionManager, EntityManagerFactory factory)
      implements BusinessTable {
    static Jpa on(DataSource dataSource) {
      LocalContainerEntityManagerFactoryBean bean = new LocalContainerEntityManagerFactoryBean();
      bean.setDataSource(dataSource);
      bean.setPackagesToScan("outbox.spring");
      bean.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
      bean.setJpaPropertyMap(Map.of("hibernate.hbm2ddl.auto", "create"));
      bean.afterPropertiesSet();
      EntityManagerFactory factory = Objects.requireNonNull(bean.getObject());
      JpaTransactionManager manager = new JpaTransactionManager(factory);
      manager.afterPropertiesSet();
      return new Jpa(manager, factory);
    }

    @Override
    public void insert(String id) {
      var entityManager = SharedEntityManagerCreator.createSharedEntityManager(factory);
      entityManager.persist(new Order(id));
      entityManager.flush();
    }

    /** Below Hibernate, which would mark the transaction for rollback. */
    @Override
    public boolean isRefused(String id) {
      var entityManager = SharedEntityManagerCreator.createSharedEntityManager(factory);
      return entityManager
          .unwrap(Session.class)
          .doReturningWork(
              connection -> {
                try (var statement = connection.createStatement()) {
                  statement.execute("INSERT INTO orders (id) VALUES ('" + id + "')");
                  return false;
                } catch (SQLException e) {
                  return true;
                }
              });
    }

    @Override
    public void close() {
      factory.close();
    }
  }

  /** A row of it. */
  @Entity
  @Table(name = "orders")
  class Order {
    @Id String id = "";

    protected Order() {}

    Order(String id) {
      this.id = id;
    }
  }
}
