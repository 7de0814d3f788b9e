"""What a user names, read, and opened into objects."""
