"""The steps of the transformation, in the order of `transform`. Each looks at nodes, and returns what is to change."""
