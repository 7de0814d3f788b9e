"""Configuration mounted into workloads that do not name it."""
