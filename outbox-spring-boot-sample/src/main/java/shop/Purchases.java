package shop;

import org.springframework.data.jpa.repository.JpaRepository;

/** The stored orders. */
public interface Purchases extends JpaRepository<Purchase, String> {}
