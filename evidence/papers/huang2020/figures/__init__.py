"""The figures of huang2020, one module each."""
