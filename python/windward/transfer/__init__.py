"""Files over parallel connections (`get`, `send`, `serve`), emulated links (`link`), and laws in the kernel.

The same functions and options as the commands `windward get`, `send`, `serve`, `link` and `kernel`.

>>> from windward import transfer
>>> report = transfer.get("https://example.org/file", max_connections=8)  # doctest: +SKIP
>>> report["rate_bps"]  # doctest: +SKIP
"""

import lazy_loader

# Each is imported when it is first used: a test that needs a link does not wait for the rest.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
