"""A search over congestion control laws that are formulas."""
