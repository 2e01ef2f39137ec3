"""The claims of huang2020 as checks, in the order of the paper."""
