"""What `krm-fn history` does with several namespaces and clusters: what runs where in, one table of it out."""
