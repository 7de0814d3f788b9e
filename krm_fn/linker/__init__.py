"""The program in the emitted Job: it keeps ownerReferences in step with the objects that use each revision."""
