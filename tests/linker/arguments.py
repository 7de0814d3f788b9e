"""A plan from its arguments, as the command reads them."""

from krm_fn.cli import link
from krm_fn.model.link_plan import LinkPlan


def read_plan(arguments: list[str]) -> LinkPlan:
    """What `krm-fn link` makes of its arguments."""
    given = link.make_context("link", list(arguments)).params
    seconds = {key: given[key] for key in ("timeout", "minimum_age")}
    return LinkPlan(
        set=given["set_name"], **seconds, **{key: given[key] for key in ("workloads", "revisions", "kinds")}
    )
