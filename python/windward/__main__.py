"""`python -m windward`, and the command `windward`."""

import sys

# Before anything else is imported, which takes a third of a second.
from windward._cli.early import end_quietly, wait_for_imports

end_quietly()

if sys.argv[1:3] == ["link", "ctl"]:
    # An order to a link is for now: it does not wait for the command line's library.
    from windward._cli.ctl import main as order

    raise SystemExit(order(sys.argv[3:]))

from windward._cli.main import main as run  # noqa: E402


def main() -> None:
    """Runs the command line."""
    wait_for_imports()
    try:
        run()
    finally:
        end_quietly()


if __name__ == "__main__":
    main()
