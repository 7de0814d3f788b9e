"""Content-named ConfigMaps and references that follow, as a KRM function."""

__version__ = "0.2.0"
