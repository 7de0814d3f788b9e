"""Find who reads an object before its deployer applies it.

An early reader is a hook or a workload whose pods start before their deployer applies what they
read. With a fixed name they find the object of the deployment before. With a name that changes with
the content they find nothing: the deployer waits for them, and never comes to apply the object.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from krm_fn.base import keys
from krm_fn.base.item import Item, about
from krm_fn.base.kind import DEPLOYERS, KINDS, SYNC_WAVE, Deployer, Step, first_step, is_ordered
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import get
from krm_fn.base.problem import Problem, Severity
from krm_fn.base.reference import Reference, is_read
from krm_fn.base.settings import Strategy
from krm_fn.core.decide.run import Answer
from krm_fn.core.names.names import authored_id, base_name, is_hashed_by_kustomize
from krm_fn.core.references.references import References
from krm_fn.core.references.sighting import NO_HASH

_STARTS_NOTHING = "Template$|^Cron"
"""Names of kinds whose objects start pods only later, also of kinds that nobody here knows."""


class EarlyReader(NamedTuple):
    """A reference to a ConfigMap or Secret that is applied in a later step.

    `blocks`: the deployment ends there.
    """

    referrer: Item
    reference: Reference
    config: Item
    deployer: Deployer
    own_step: Step
    config_step: Step
    blocks: bool

    @property
    def is_hook(self) -> bool:
        """Tell whether a hook makes it early, and not a wave."""
        return self.own_step.phase < self.config_step.phase

    def refuse(self) -> Problem:
        """Return what is wrong where the object is chosen explicitly: an error only if nothing can come after it."""
        config = self.config.id._replace(name=base_name(self.config))
        deployer = f"{self.deployer.name} (spec.deployers)"
        if self.is_hook:
            place = (
                f"is a {self.own_step.hook} hook, which {deployer} runs before it applies {config}"
            )
        else:
            waves = f"is in sync wave {self.own_step.wave}, and {config} in wave {self.config_step.wave}"
            place = f"{waves}, which {deployer} applies later"
        effect = (
            f"does not exist yet, which blocks the {self.deployer.deployment}"
            if self.blocks
            else "may not exist yet when its pods start"
        )
        keep = f"annotate the {config.kind} with {keys.STRATEGY}: {Strategy.IGNORE}"
        message = (
            f"{place}: each change gives the {config.kind} a name that {effect}; {self._move()}, "
            f"or {NO_HASH if is_hashed_by_kustomize(self.config) else keep}"
        )
        is_error = self.blocks and keys.NAMED_BY_KUSTOMIZE not in self.config.annotations
        severity = Severity.ERROR if is_error else Severity.WARNING
        return about(self.referrer, message, self.reference.field, severity)

    def answer(self) -> Answer:
        """Return why the object is left alone where nobody chose it explicitly."""
        referrer = authored_id(self.referrer)
        if self.is_hook:
            text = f"{referrer}, a {self.own_step.hook} hook, reads it before {self.deployer.name} applies it"
        else:
            text = (
                f"{referrer} in sync wave {self.own_step.wave} reads it before {self.deployer.name} applies it "
                f"in wave {self.config_step.wave}"
            )
        remedy = (
            f"{self._move()}, or annotate the {self.config.id.kind} with {keys.STRATEGY}: "
            f"{Strategy.IGNORE} to accept this"
        )
        return Answer(text, self.referrer, self.reference.field, remedy=remedy)

    def _move(self) -> str:
        hook, wave = self.own_step.hook, self.own_step.wave
        # What `spec.hooks: copy` copies: a ConfigMap that SOPS has not encrypted.
        is_copied = self.config.id.kind == "ConfigMap" and get(self.config.node, "sops") is None
        if self.is_hook and is_copied:
            return "set spec.hooks: copy, which lets the hook read a copy"
        if self.is_hook:
            return f"let the hook read a copy that is a {hook} hook too"
        return f"move the {self.config.id.kind} to wave {wave} ({SYNC_WAVE}: '{wave}')"


EarlyReaders: TypeAlias = Mapping[Item, Mapping[Item, EarlyReader]]
"""By what they read, and by themselves."""


def find_early_readers(references: References, deployers: Iterable[str]) -> EarlyReaders:
    """Find the early readers of each ConfigMap and Secret, by the steps and waits of these deployers."""
    found: dict[Item, dict[Item, EarlyReader]] = defaultdict(dict)
    in_steps = [name for name in deployers if DEPLOYERS[name].waits_for]
    if not in_steps:
        return found
    for referrer, reference, targets in references:
        if not reference.in_pod or reference.is_output:
            continue
        for config in targets:
            for name in in_steps:
                reader = _read_early(referrer, reference, config, name)
                # Of several, the one that blocks says more than one whose pods may only start too
                # early.
                if reader and (
                    referrer not in found[config] or reader.blocks > found[config][referrer].blocks
                ):
                    found[config][referrer] = reader
    return found


def _read_early(
    referrer: Item, reference: Reference, config: Item, name: str
) -> EarlyReader | None:
    if not is_ordered(referrer) and not is_ordered(config):
        return None
    own_step, config_step = first_step(referrer, name), first_step(config, name)
    if own_step is None or config_step is None or not own_step.is_before(config_step):
        return None
    deployer = DEPLOYERS[name]
    kind = referrer.id.group_kind
    is_waited_for = kind in deployer.waits_for
    may_be_waited_for = (
        deployer.waits_for_others
        and kind not in KINDS
        and not re.search(_STARTS_NOTHING, referrer.id.kind)
    )
    if not is_waited_for and not may_be_waited_for:
        return None  # its pods wait for the object, and the deployer does not wait for them
    # A pod that reads it as optional starts without it, so the deployer comes to apply the object
    # all the same.
    blocks = is_waited_for and is_read(reference) and not reference.is_optional
    return EarlyReader(referrer, reference, config, deployer, own_step, config_step, blocks)
