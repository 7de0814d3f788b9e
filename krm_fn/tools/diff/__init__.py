"""`krm-fn diff`: two renderings in, the difference between them out."""
