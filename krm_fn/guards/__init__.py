"""Who may look an object up by its name: reasons to leave it alone."""
