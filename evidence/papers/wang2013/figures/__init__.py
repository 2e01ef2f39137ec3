"""The figures of wang2013."""
