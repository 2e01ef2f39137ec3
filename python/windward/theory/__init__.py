"""Without scenarios: best rates, windows as differential equations, laws stepped by hand, closed forms of 802.11."""

from windward.theory import fluid as fluid, laws as laws, num as num, wifi as wifi

__all__ = ["fluid", "laws", "num", "wifi"]
