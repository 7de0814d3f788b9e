"""The functionConfig: read, built into settings, explained where it is wrong."""
