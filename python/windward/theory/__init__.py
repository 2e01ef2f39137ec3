"""Without scenarios: best rates (`num`), windows as differential equations (`fluid`), laws stepped by hand (`laws`)."""

from windward.theory import fluid as fluid, laws as laws, num as num
