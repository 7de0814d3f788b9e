"""A row whose package has a kustomization needs what builds it."""

import pytest


def pytest_itemcollected(item: pytest.Function) -> None:
    if hasattr(item, "callspec") and "kustomization.yaml" in str(item.callspec.params):
        item.add_marker(pytest.mark.needs("kubectl"))
