"""Objects that live another life than others: made for a moment, or never changed."""

HOOKS = ("helm.sh/hook", "argocd.argoproj.io/hook")
"""Annotations of what lives and dies with a step of a deployment."""

IMMUTABLE = (("batch", "Job"), ("", "Pod"))
"""Groups and kinds whose pods are what they are from the beginning, and done some day."""
