package outbox.jdbc;

/** MySQL 8: MariaDB's statements; its schema scripts are others, for want of IF NOT EXISTS. */
final class MySqlDialect extends MariaDbDialect {

  @Override
  String product() {
    return "MySQL";
  }

  @Override
  boolean recognizes(String product, String version) {
    return product.equals("MySQL") && !version.contains("MariaDB");
  }

  @Override
  String schemaFolder() {
    return "mysql";
  }
}
