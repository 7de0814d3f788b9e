"""Directories, charts and files in, one stream out that can be applied as it is."""
