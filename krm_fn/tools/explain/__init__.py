"""What `krm-fn explain` does: a package in, the reasons for what krm-fn does with it out."""
