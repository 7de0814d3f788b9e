"""What crosses the process boundary: YAML text, the envelope, the functionConfig, the results."""
