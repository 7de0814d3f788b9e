"""Directories, charts and files in, one stream out that is ready for `kubectl apply`."""
