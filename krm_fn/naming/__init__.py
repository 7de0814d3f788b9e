"""The content hash, and the names that come of it."""
