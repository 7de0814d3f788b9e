"""`krm-fn init`: it writes a configuration, and the entry that lets a deployer run the function."""
