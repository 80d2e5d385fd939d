"""Second-order learning: weights with a covariance, which says how sure each is (beyond 1)."""
