"""The papers behind Windward: each claim checked, each figure drawn again.

A paper is a folder `evidence/papers/<key>` of the repository:

* `claims.toml`: what the paper says, where, how it is checked, and the verdict (`windward.papers.ledger`);
* `checks.py`, or a folder `checks` of modules: a function `@claim(id)` for every claim;
* `figures.py`, or a folder `figures`: a function `@figure("4", title=...)` for every figure;
* `scenario.toml` and other files: parameters, with the guesses among them named.

The modules may import one another relatively (`from .model import cell`).

>>> from windward.papers import Finding, claim
>>> @claim(1)
... def rates_times_delays() -> Finding:
...     return Finding(ours="1 + 1 = 2", holds=1 + 1 == 2)
"""

import lazy_loader

# As in `windward` itself: the names are listed in `__init__.pyi`, and imported when they are first used.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
