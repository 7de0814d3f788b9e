"""Find reasons to leave an object alone: somebody may look it up by its name."""
