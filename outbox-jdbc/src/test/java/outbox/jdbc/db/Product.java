package outbox.jdbc.db;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** The databases that the build tests against. */
public enum Product {
  POSTGRES_NEWEST {
    @Override
    Server server() {
      return PostgresServer.newest();
    }
  },
  POSTGRES_OLDEST {
    @Override
    Server server() {
      return PostgresServer.oldest();
    }
  },
  MARIADB {
    @Override
    Server server() {
      return MariaDbServer.instance();
    }

    @Override
    String setTimeZone(String offset) {
      return "SET time_zone = '" + offset + "'";
    }
  },
  /** By MySQL's own driver. */
  MYSQL {
    @Override
    Server server() {
      return MySqlServer.instance();
    }

    @Override
    String setTimeZone(String offset) {
      return "SET time_zone = '" + offset + "'";
    }
  },
  /** MySQL by MariaDB's driver. */
  MYSQL_BY_MARIADB_DRIVER {
    @Override
    Server server() {
      return MySqlServer.instance().byMariaDbDriver();
    }

    @Override
    String setTimeZone(String offset) {
      return "SET time_zone = '" + offset + "'";
    }
  },
  H2 {
    @Override
    Server server() {
      return H2Server.newest();
    }
  },
  H2_OLDEST {
    @Override
    Server server() {
      return H2Server.oldest();
    }
  },
  /** The version that Spring Boot manages. */
  H2_SPRING_BOOT {
    @Override
    Server server() {
      return H2Server.springBoot();
    }
  },
  SQLSERVER {
    @Override
    Server server() {
      return SqlServer.instance();
    }

    @Override
    String setTimeZone(String offset) {
      return "";
    }
  };

  private static final DateTimeFormatter TEXT =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSSSSS").withZone(ZoneOffset.UTC);

  abstract Server server();

  /** The instant in SQL, cut to microseconds. */
  public String literal(Instant instant) {
    String text = TEXT.format(instant);
    return switch (this) {
      case POSTGRES_NEWEST, POSTGRES_OLDEST -> "CAST('" + text + "+00' AS timestamptz)";
      case MARIADB, MYSQL, MYSQL_BY_MARIADB_DRIVER -> "CAST('" + text + "' AS DATETIME(6))";
      case H2, H2_OLDEST, H2_SPRING_BOOT ->
          "CAST('" + text + "+00' AS TIMESTAMP(6) WITH TIME ZONE)";
      case SQLSERVER -> "CAST('" + text + "' AS datetime2(6))";
    };
  }

  /** Whether it is embedded: then the JVM's clock is the database's. */
  public boolean isH2() {
    return this == H2 || this == H2_OLDEST || this == H2_SPRING_BOOT;
  }

  /** Whether there is a server of it here, or one that can be started. */
  public boolean isThere() {
    return !isMySql() || MySqlServer.isThere();
  }

  public boolean isMySql() {
    return this == MYSQL || this == MYSQL_BY_MARIADB_DRIVER;
  }

  /** Whether it is MariaDB or MySQL, which share their statements and most of their habits. */
  public boolean isInnoDb() {
    return this == MARIADB || isMySql();
  }

  /** As docs/project/traceability.md names it. */
  String label() {
    return switch (this) {
      case POSTGRES_NEWEST, POSTGRES_OLDEST -> "PostgreSQL";
      case MARIADB -> "MariaDB";
      case MYSQL, MYSQL_BY_MARIADB_DRIVER -> "MySQL";
      case H2, H2_OLDEST, H2_SPRING_BOOT -> "H2";
      case SQLSERVER -> "SQL Server";
    };
  }

  /** Whether it is one of those that the system property outbox.databases names. */
  boolean isAmong(String databases) {
    return switch (databases) {
      case "all" -> true;
      case "newest" -> this == H2 || this == POSTGRES_NEWEST;
      case "h2" -> this == H2;
      case "postgresql" -> this == POSTGRES_NEWEST;
      case "mariadb" -> this == MARIADB;
      case "mysql" -> isMySql();
      default ->
          throw new IllegalArgumentException(
              "outbox.databases ("
                  + databases
                  + ") must be all, newest, h2, postgresql, mariadb or mysql");
    };
  }

  String setTimeZone(String offset) {
    return "SET TIME ZONE INTERVAL '" + offset + "' HOUR TO MINUTE";
  }
}
