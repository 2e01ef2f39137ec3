"""The claims of wang2016 as checks, in the order of the paper."""
