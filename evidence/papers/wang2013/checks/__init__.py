"""The claims of wang2013 as checks, in the order of the paper."""
