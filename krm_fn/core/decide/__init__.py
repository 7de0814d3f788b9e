"""What becomes of each object: the steps in the order of `transform`, each of which returns what is to change."""
