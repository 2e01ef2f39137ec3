"""Networks that are no scenarios: the best rates (`num`), and windows as differential equations (`fluid`)."""

from windward.theory import fluid as fluid, num as num
