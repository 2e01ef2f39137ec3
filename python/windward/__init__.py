"""Study, predict and deploy congestion control for wireless networks.

>>> import windward as ww
>>> run = ww.load("scenarios/headline.toml").simulate()  # doctest: +SKIP
>>> run.flows.groupby("law")["goodput_bps"].mean()  # doctest: +SKIP

The public names are listed in `__init__.pyi`; each is imported when it is first used, so that `windward --help` does
not wait for numpy.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
