"""Keep ownerReferences in step with the objects that use each revision: the emitted Job."""
