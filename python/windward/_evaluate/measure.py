"""A measure: one network, one figure of it, and the threshold that follows from the reference laws."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from windward._evaluate.figures import Value

#: Source of a threshold that no standard gives.
RELATIVE = "the worse of CUBIC and Reno on the same networks and seeds"


@dataclass(frozen=True, kw_only=True)
class Measure:
    """A figure on a network, with its threshold."""

    #: Name within its section, as files of thresholds have it.
    key: str
    section: str
    #: The network in a few words.
    network: str
    figure: str
    #: "bit/s", "s", "%", or nothing.
    unit: str
    #: The scenario, with the placeholder of the law.
    template: Mapping[str, Any]
    value: Value
    #: More is better; otherwise less is.
    is_large: bool
    #: Factor by which the figure may be worse than the reference's.
    margin: float = 1.25
    #: Difference beyond the factor that means nothing, in base units.
    slack: float = 0.0
    #: A threshold that does not depend on other laws.
    absolute: float | None = None
    source: str = RELATIVE

    @property
    def name(self) -> str:
        """Its name within the whole evaluation."""
        return f"{self.section}/{self.key}"

    def allowed(self, reference: float) -> float:
        """Threshold beside a reference."""
        if self.absolute is not None:
            return self.absolute
        return reference / self.margin - self.slack if self.is_large else reference * self.margin + self.slack

    def excess(self, value: float, reference: float) -> float:
        """Amount by which a value is on the wrong side of the threshold; negative on the right one."""
        allowed = self.allowed(reference)
        return allowed - value if self.is_large else value - allowed
