"""The labels by which Artifact Hub lists the image."""

import datetime as dt
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
# The rows "required: yes" of docs/container_images_repositories.md of
# https://github.com/artifacthub/hub.
REQUIRED = {
    "io.artifacthub.package.readme-url",
    "org.opencontainers.image.created",
    "org.opencontainers.image.description",
}


def test_the_labels_are_what_artifact_hub_requires() -> None:
    command = [
        sys.executable,
        "-I",
        "-S",
        str(ROOT / "release/image_labels.py"),
        "v1.2.3",
        "krm-fn/krm-fn",
        "1795000000",
    ]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    labels = dict(line.split("=", 1) for line in done.stdout.splitlines())
    assert labels.keys() >= REQUIRED
    assert labels["org.opencontainers.image.version"] == "1.2.3"
    readme = "https://raw.githubusercontent.com/krm-fn/krm-fn/v1.2.3/README.md"
    assert labels["io.artifacthub.package.readme-url"] == readme
    created = dt.datetime.fromisoformat(labels["org.opencontainers.image.created"])
    assert created == dt.datetime.fromtimestamp(1795000000, dt.UTC)
