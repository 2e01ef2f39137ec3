"""`python -m windward`."""

from windward._cli.main import main

if __name__ == "__main__":
    main()
