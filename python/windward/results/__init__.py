"""Result folders, their tables, and statistics over seeds (`stats`)."""
