"""How fast, and how much memory: `python -m benchmarks`."""
