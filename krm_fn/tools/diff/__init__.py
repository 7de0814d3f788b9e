"""What `krm-fn diff` does: two renderings in, the difference between them out."""
