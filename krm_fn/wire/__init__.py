"""What crosses the process boundary: YAML text and its edits, the ResourceList, the results."""
