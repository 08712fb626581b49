package outbox.spring.demo;

import java.net.URI;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/orders")
class OrderController {
  private final Orders orders;

  OrderController(Orders orders) {
    this.orders = orders;
  }

  @PostMapping
  ResponseEntity<Order> place(@RequestBody NewOrder order) {
    Order placed = orders.place(order);
    return ResponseEntity.created(URI.create("/orders/" + placed.id())).body(placed);
  }

  @GetMapping("/{id}")
  ResponseEntity<Order> order(@PathVariable("id") String id) {
    return ResponseEntity.of(orders.find(id));
  }
}
