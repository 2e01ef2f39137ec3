"""Results for readers: tables in the terminal, figures (`plot`), reports."""
