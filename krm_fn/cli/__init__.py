"""The command line, a command a file. Nothing heavy is imported before a command runs."""
