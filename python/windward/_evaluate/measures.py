"""All measures of an evaluation, in the order of the sections."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from windward._evaluate import general, special
from windward._evaluate.measure import Measure


def measures(against: Sequence[Any], *, is_full: bool) -> list[Measure]:
    """Measures of all sections that networks answer.

    Parameters
    ----------
    against
        Laws of the flows in §5.2.1.
    is_full
        More networks, of more rates, delays and buffers.
    """
    return [
        *general.collapse(),
        *general.bufferbloat(is_full=is_full),
        *general.high_loss(is_full=is_full),
        *general.fairness(is_full=is_full),
        *general.short_flows(),
        *general.standard_laws(against, is_full=is_full),
        *general.real_time(is_full=is_full),
        *general.short_and_long(),
        *special.tail_drop(is_full=is_full),
        *special.wired(is_full=is_full),
        *special.wireless(is_full=is_full),
        *special.queues(is_full=is_full),
        *special.breaker(),
        *special.varying_delay(is_full=is_full),
        *special.constrained(),
        *special.high_delay(is_full=is_full),
        *special.misbehaving(),
        *special.reordering(is_full=is_full),
        *special.transient(is_full=is_full),
        *special.changes(is_full=is_full),
        *special.data_centers(),
    ]
