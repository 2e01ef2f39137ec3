"""Study, predict and deploy congestion control for wireless networks.

    import windward as ww
    run = ww.load("scenarios/headline.toml").simulate(seeds=5)
    run.flows.groupby("law")["goodput_bps"].mean()

Begin with help(ww.Scenario)   a network: simulate, optimum, compare, sweep
           help(ww.Run)        a simulation's tables, figures and report
           help(ww.open)       the folder of any result, opened again
           help(ww.Law)        a control law of your own, in Python
           help(ww.Link)       a table of scenario files; ww.format has all
Others     ww.num, ww.fluid    theory without scenarios: help(ww.num)
           ww.laws, ww.kernel  laws by hand; laws in the Linux kernel
           ww.wifi, ww.coding  802.11n, ac, ax in closed form; network coding
           ww.transfer         downloads, uploads, emulated links
           ww.papers, ww.gym   claims of papers; reinforcement learning
dir(ww) lists all names; docs/reference/api.md documents them.
"""

import sys

# A command ends quietly at a Ctrl-C that comes before it can hear it. Other programs keep their own handler.
if sys.argv and sys.argv[0].replace("\\", "/").rpartition("/")[2] in ("-m", "windward", "windward.exe"):
    # `signal` would import more first.
    import _signal

    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)

import lazy_loader

# The public names are listed in `__init__.pyi`; each is imported when it is first used, so that `windward --help` does
# not wait for numpy.
__getattr__, __dir__, _ = lazy_loader.attach_stub(__name__, __file__)

#: Nothing for `from windward import *`: pydoc would print each class whole, and `open` would hide Python's.
__all__: list[str] = []
