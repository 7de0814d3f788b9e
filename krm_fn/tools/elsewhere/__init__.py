"""Find what else of a repository names an object: its scripts, its pages, and templates of other charts."""
