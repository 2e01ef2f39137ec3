"""A bad network in a test: an emulated link from the test's own process to a server in it.

>>> from windward.testing import link
>>> with link(profile="lte", loss="1%", seed=1) as bad:  # doctest: +SKIP
...     address = bad.connect(8080)
...     client(address)
...     bad.down(3)
...     client(address)
>>> bad.lost > 0 and bad.in_time  # doctest: +SKIP
True

pytest has the fixture `windward_link`. The guide is docs/guides/testing.md.
"""

from windward.testing._link import Address as Address, Link as Link, link as link, profiles as profiles

__all__ = ["Address", "Link", "link", "profiles"]
