"""What a run adds beside new names: the linker's objects, mounts, checksums, names of Jobs."""
