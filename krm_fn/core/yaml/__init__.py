"""Text in, nodes out; edits in, text out.

The ResourceList and its results cross the process boundary here.
"""
