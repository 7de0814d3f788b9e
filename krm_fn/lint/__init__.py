"""Look for what no edit can mend: `CHECKS` of `lint.py` lists all checks."""
