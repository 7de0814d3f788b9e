"""`krm-fn graph`: a package or a namespace in, a picture of revisions, referrers and owners out."""
