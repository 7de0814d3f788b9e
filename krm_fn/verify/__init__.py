"""Whether manifests that are about to be applied are consistent: `krm-fn verify`."""
