"""The content hash, and the names of ConfigMaps and Secrets."""
