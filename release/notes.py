"""`python3 release/notes.py TAG [IMAGE@DIGEST]`: print the text of a release, which is its section of CHANGELOG.md.

Fail if the tag is not the version of the sources, or if the changelog has no dated section about it. Needs only Python.
"""

import datetime as dt
import re
import sys
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).parent.parent


def notes(root: Path, tag: str, image: str = "") -> str:
    """Return the text. With an image, it ends with how to use it by its digest.

    Raises SystemExit with a reason.
    """
    version = tag.removeprefix("v")
    source = root / "krm_fn" / "__init__.py"
    (present,) = re.findall(r'^__version__ = "(.+)"$', source.read_text(), re.MULTILINE)
    if not tag.startswith("v") or version != present:
        _stop(f"tag: found {tag}, expected v{present}, the version in {source.name}")
    changes = section((root / "CHANGELOG.md").read_text(), version)
    return f"{changes}\n{_by_digest(image, version)}" if image else changes


def section(changelog: str, version: str) -> str:
    """Return the section of a version, without its heading. Raises SystemExit with a reason."""
    headings = list(re.finditer(r"^## \[(.+)\](?: - (.+))?$", changelog, re.MULTILINE))
    ends = [*(heading.start() for heading in headings[1:]), len(changelog)]
    for heading, end in zip(headings, ends, strict=True):
        if heading[1] == version:
            if not _is_date(heading[2] or ""):
                _stop(
                    f"CHANGELOG.md: found {heading[0]}, expected a date: ## [{version}] - 2026-01-31"
                )
            text = changelog[heading.end() : end].strip()
            return (
                f"{text}\n" if text else _stop(f"CHANGELOG.md: the section of {version} is empty")
            )
    return _stop(f"CHANGELOG.md: has no section ## [{version}]")


def _is_date(text: str) -> bool:
    try:
        dt.date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _by_digest(image: str, version: str) -> str:
    name, _, digest = image.partition("@")
    if not re.fullmatch("sha256:[0-9a-f]{64}", digest):
        _stop(
            f"image: found {image}, expected a name with a digest: ghcr.io/krm-fn/krm-fn@sha256:..."
        )
    return f"""\
### The image

```yaml
# in the metadata of the functionConfig
annotations:
  config.kubernetes.io/function: |
    container:
      image: {name}:{version}@{digest}
```
"""


def _stop(reason: str) -> NoReturn:
    sys.exit(f"error: {reason}")


if __name__ == "__main__":
    sys.stdout.write(notes(ROOT, *sys.argv[1:3]))
