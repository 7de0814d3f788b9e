"""Decide about each object, in the steps of `transform`. Each step returns its changes."""
