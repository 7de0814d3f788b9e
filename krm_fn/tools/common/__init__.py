"""The vocabulary of the tools: the files of a tree, the programs of others, and what is about to be applied."""
