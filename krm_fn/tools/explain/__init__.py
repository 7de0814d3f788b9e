"""`krm-fn explain`: a package in, the reasons for what krm-fn does with it out."""
