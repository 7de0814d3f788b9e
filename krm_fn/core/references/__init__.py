"""Which fields reference ConfigMaps and Secrets, and what they resolve to."""
