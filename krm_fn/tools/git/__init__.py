"""Read what git stores of a repository, and what is in its working tree. Nothing here changes either."""
