"""What the authors of a package wrote, from what a run has made of it."""

from krm_fn.base.changes import Changes
from krm_fn.base.item import Item, read_item
from krm_fn.base.node import Node, is_mapping
from krm_fn.base.settings import Environment, Jobs, Selector
from krm_fn.core.config.build import parse_config
from krm_fn.core.decide.name import unprotect
from krm_fn.core.decide.run import read_package
from krm_fn.core.yaml.reader import Expansion, embedded_reader
from krm_fn.extras.jobs import restore_jobs
from krm_fn.lint.lint import lint
from krm_fn.transform import transform


def restore_authored(
    items: list[Item], function_config: Node | None, expansion: Expansion
) -> Changes:
    """Return the changes that give all objects of the set the form that their authors wrote.

    Base names come back, in references too. What stops deployers from pruning goes, with the
    linker's objects, mounts and checksums: a run that follows writes all of it again.
    """
    settings = parse_config(function_config)
    by_author = settings._replace(
        exclude=(Selector(),),
        mounts=(),
        checksums=settings.checksums._replace(controllers=()),
        jobs=Jobs.WARN,
        strict=False,
    )
    config_id = read_item(function_config).id if is_mapping(function_config) else None
    package = read_package(items, config_id, settings.linker.namespace or "", kinds=settings.kinds)
    restored = transform(package, by_author, Environment(warns=False), embedded_reader(expansion))
    return lint(restored) + unprotect(restored.revisions, settings) + restore_jobs(package)
