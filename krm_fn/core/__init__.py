"""Turn objects into decisions and changes.

It knows no warning, no cluster and no command line.
"""
