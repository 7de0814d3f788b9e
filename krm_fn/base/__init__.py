"""The values that all rooms share. Imports only the standard library, and the rows of facts."""
