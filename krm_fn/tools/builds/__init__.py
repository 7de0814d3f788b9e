"""Directories in, what kustomize and helm build from them out."""
