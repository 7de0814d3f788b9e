"""Find the fields that reference ConfigMaps and Secrets, and the objects that they mean."""
