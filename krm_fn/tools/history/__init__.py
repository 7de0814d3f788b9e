"""What `krm-fn history` does: the live objects of a namespace in, what runs where and what becomes of it out."""
