"""Pages: what `windward report` writes and `windward explore` shows, from the same charts, tables and style."""
