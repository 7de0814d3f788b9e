"""Words of an object that may be names of others, where nothing is asked about fields."""

import re

WORD = re.compile(r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?")

ABOUT_ITSELF = frozenset({"apiVersion", "kind", "metadata", "status"})
"""Fields at the top of an object that ask for nothing."""
