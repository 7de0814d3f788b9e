"""What `krm-fn diff --live` does: a rendering and what a cluster has of it in, the difference between them out."""
