"""The claims of seferoglu2014 as checks, in the order of the paper."""
