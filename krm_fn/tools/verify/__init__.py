"""The checks of manifests that are about to be applied: `krm-fn verify`."""
