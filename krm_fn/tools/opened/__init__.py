"""Read what a user names, and open it into objects."""
