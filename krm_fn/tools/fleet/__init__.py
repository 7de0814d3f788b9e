"""`krm-fn history` of several namespaces and clusters: what runs where in, one table of it out."""
