"""What things are. The standard library alone, so that everybody may import it."""
