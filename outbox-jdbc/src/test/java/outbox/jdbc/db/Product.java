package outbox.jdbc.db;

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
  H2 {
    @Override
    Server server() {
      return H2Server.INSTANCE;
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

  abstract Server server();

  String setTimeZone(String offset) {
    return "SET TIME ZONE INTERVAL '" + offset + "' HOUR TO MINUTE";
  }
}
