"""`krm-fn merge`: a merge driver of git for packages that are rendered in place."""
