package shop;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** An order as it is stored. */
@Entity
public class Purchase {
  @Id private String id = "";
  private long cents;
  private String state = "placed";

  /** For JPA. */
  protected Purchase() {}

  Purchase(String id, long cents) {
    this.id = id;
    this.cents = cents;
  }

  String id() {
    return id;
  }

  long cents() {
    return cents;
  }

  String state() {
    return state;
  }

  void become(String next) {
    this.state = next;
  }
}
