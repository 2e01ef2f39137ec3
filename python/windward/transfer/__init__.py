"""Files over parallel connections (`get`, `send`, `serve`), emulated links (`link`), and laws in the kernel.

The same functions and options as the commands `windward get`, `send`, `serve`, `link` and `kernel`.

>>> from windward import transfer
>>> report = transfer.get("https://example.org/file", max_connections=8)  # doctest: +SKIP
>>> report["rate_bps"]  # doctest: +SKIP
"""

from windward.transfer import kernel as kernel
from windward.transfer._files import get as get, send as send
from windward.transfer._link import link as link
from windward.transfer._serve import serve as serve
