"""`python -m windward`."""

from windward.cli import main

if __name__ == "__main__":
    main()
