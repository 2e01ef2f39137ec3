"""The claims of chen2007 as checks, in the order of the paper."""
