"""`python -m windward`, and the command `windward`."""

# Before anything else is imported, which takes a third of a second.
from windward._cli.early import end_quietly, wait_for_imports

end_quietly()

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
