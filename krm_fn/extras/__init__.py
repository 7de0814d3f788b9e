"""Add what is asked for beside new names: the linker's objects, mounts, checksums, names of Jobs."""
