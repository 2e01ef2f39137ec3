"""The figures and tables of wang2016, drawn again."""
