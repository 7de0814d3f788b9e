"""`python3 release/image_labels.py TAG REPOSITORY EPOCH`: print the labels of the image that are about one release.

Artifact Hub lists an image by its labels and reads its page from `readme-url`: see container_images_repositories.md in
https://github.com/artifacthub/hub/tree/master/docs. REPOSITORY is the owner and name on GitHub, EPOCH the time of the
commit in Unix seconds. Needs only Python.
"""

import datetime as dt
import sys


def labels(tag: str, repository: str, epoch: str) -> dict[str, str]:
    address = f"https://github.com/{repository}"
    return {
        "org.opencontainers.image.created": dt.datetime.fromtimestamp(int(epoch), dt.UTC).strftime(
            "%Y-%m-%dT%H:%M:%SZ"
        ),
        "org.opencontainers.image.title": "krm-fn",
        "org.opencontainers.image.description": (
            "A KRM function that names ConfigMaps by their content and updates every reference."
        ),
        "org.opencontainers.image.version": tag.removeprefix("v"),
        "org.opencontainers.image.url": address,
        "org.opencontainers.image.source": f"{address}/tree/{tag}",
        "org.opencontainers.image.documentation": f"{address}/tree/{tag}/docs",
        "io.artifacthub.package.readme-url": f"https://raw.githubusercontent.com/{repository}/{tag}/README.md",
        "io.artifacthub.package.license": "Apache-2.0",
        "io.artifacthub.package.category": "integration-delivery",
        "io.artifacthub.package.keywords": "argocd,canary,configmap,flux,gitops,helm,kpt,krm,kustomize",
    }


if __name__ == "__main__":
    print("\n".join(f"{key}={value}" for key, value in labels(*sys.argv[1:4]).items()))
