"""The values that all rooms share. Imports only the standard library."""
