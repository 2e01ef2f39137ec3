"""Networks on which a law fails, from `attack`: they join the training set."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from windward import _engine
from windward._discover.field import Extra
from windward._evaluate.networks import LAW, bottleneck, flow, with_law
from windward._search.attack import attack
from windward._search.fresh import LEAST_FRESH
from windward._search.request import AttackRequest
from windward.errors import OptionError

#: The question, and the kind of network whose bounds it has.
QUESTION, LIKE = "unfair:3", "wifi"


def find_extra(law: Mapping[str, Any], folder: Path, trials: int, threads: int | None) -> Extra | None:
    """A network on which two flows of the law share unfairly and CUBIC's do not; None if no trial found one."""
    template = bottleneck([flow(name="own-0"), flow(name="own-1", start="1 s")], duration_s=20.0, warmup_s=4.0)
    plain = with_law(template, law)
    scenario = _engine.Scenario.from_json(json.dumps(plain), "the law that leads", Path())
    asked = AttackRequest(
        scenario=scenario,
        written=plain,
        until=QUESTION,
        within=(),
        like=LIKE,
        seeds=2,
        fresh=LEAST_FRESH,
        trials=trials,
    )
    try:
        found = attack(asked, output=folder, threads=threads)
    except OptionError:
        # It holds without an attack.
        return None
    if not found.is_found:
        return None
    text = found.scenario_file.read_text(encoding="utf-8")
    compiled = _engine.Scenario.from_toml(text, "find", found.scenario_file.parent)
    return Extra(name="found", about=f"two flows, {QUESTION}", plain=as_template(json.loads(compiled.to_json())))


def as_template(plain: Mapping[str, Any]) -> dict[str, Any]:
    """A scenario with the placeholder in the place of formulas."""
    own = {key: value for key, value in plain.items() if key != "seeds"}
    own["flow"] = [each | {"law": LAW} if each["law"]["name"] == "formula" else each for each in plain.get("flow", [])]
    return own
