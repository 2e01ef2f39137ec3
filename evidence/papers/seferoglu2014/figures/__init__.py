"""The figures of seferoglu2014."""
