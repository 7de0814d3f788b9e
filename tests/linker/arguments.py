"""Read a plan from its arguments, as the command does."""

from krm_fn.base.link_plan import LinkPlan
from krm_fn.cli.link import link


def read_plan(arguments: list[str]) -> LinkPlan:
    """Parse the arguments of `krm-fn link`."""
    given = link.make_context("link", list(arguments)).params
    seconds = {key: given[key] for key in ("timeout", "minimum_age")}
    return LinkPlan(
        set=given["set_name"],
        **seconds,
        **{key: given[key] for key in ("workloads", "revisions", "producers", "kinds")},
        waits=not given["no_wait"],
    )
