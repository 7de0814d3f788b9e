"""Whether verify finds anything in what the function has written."""

from krm_fn.base.problem import Outcome
from krm_fn.function import run
from krm_fn.tools.opened.sources import Inputs
from krm_fn.tools.render.render import deployable
from krm_fn.tools.verify.verify import (
    FindingsFormat,
    VerifyOptions,
    examine,
    write_findings,
)


def verify(path: str, stdin: bytes | None, options: VerifyOptions) -> Outcome:
    """Verify as the command does, without starting it."""
    inputs = Inputs((path,), options.config, stdin)
    return write_findings([examine(inputs, options)], FindingsFormat.TEXT)


def assert_nothing_is_found(output: bytes, config: str | None) -> None:
    """Check all that the function has written, what is deployed of it, and that without its configuration."""
    deployed = deployable(output.decode("utf-8-sig")).encode()
    if not deployed.strip():
        return
    for data in (output, deployed):
        outcome = verify("-", data, VerifyOptions(config=config))
        assert outcome.exit_code == 0, outcome.stderr
    alone = verify("-", deployed, VerifyOptions())
    if alone.exit_code:
        # Without the configuration, nobody can tell that the function has left these alone.
        assert alone.stderr.startswith("error: no revision of any set"), alone.stderr
        assert b"revisions.krm-fn.io/set:" in run(deployed).stdout
        assert b"revisions.krm-fn.io/set:" not in deployed
