"""What the commands do, each on the core."""
