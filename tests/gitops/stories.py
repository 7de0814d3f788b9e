"""Short stories that each deployer must survive.

What they leave must go when the application is uninstalled.
"""

import operator
from functools import partial

import yaml

from tests.cluster.linker_job import COMPONENT
from tests.cluster.manifests import workload
from tests.cluster.platform_account import ACCOUNT, account_in
from tests.cluster.readiness import has_ended, is_ready
from tests.cluster.release import IN_SET, SET, config, owners, render
from tests.cluster.workloads import consumers_by_revision
from tests.gitops.argo_application import ArgoApplication
from tests.gitops.flux import FluxKustomization
from tests.gitops.package import NAMES, Commit
from tests.gitops.shop import Shop
from tests.wait import until

CRON_JOB = f"{SET}-linker"
SCHEDULED = {"schedule": "* * * * *"}
ADOPTED = (
    ("ConfigMap", "web-config"),
    ("ConfigMap", "api-config"),
    ("ConfigMap", "db-config"),
    ("Secret", "api-secret"),
)

API, DB = "Deployment", "StatefulSet"
BASE = "app-config"
USAGES = Commit(kinds=(API, DB), reads={API: BASE, DB: BASE}, shared={BASE: "a"})


def migrate(shop: Shop) -> None:
    """Begin with fixed names, adopt, rename with a change, and release on until the adopted objects go."""
    shop.release(strategy="ignore")
    before = shop.pods()
    shop.release(strategy="adopt")
    assert shop.pods() == before, "no pod was restarted"
    shop.release("Paused", strategy="rename", content="b")
    shop.replace_pods()
    shop.promote()
    for content in ("c", "d", "e"):
        assert content != "c" or all(shop.api.find(kind, name) for kind, name in ADOPTED), (
            "they are in history"
        )
        shop.release("Paused", content=content)
        shop.promote()
    for kind, name in ADOPTED:
        shop.api.gone(kind, name)


def leave(shop: Shop) -> None:
    """Release a last time with krm-fn, then without it, and create the workloads anew: nothing goes with these."""
    shop.release(strategy="adopt")
    shop.deploy(leave=True)
    shop.until_running()
    shop.until_linked()
    tracker = ("ConfigMap", "api-secret")
    for kind, name in (*ADOPTED, tracker):
        assert owners(shop.api.get(kind, name)) == set(), f"{kind}/{name}"
    shop.deploy(strategy="ignore", leave=False)
    shop.until_running()
    # As the page on leaving says. Argo CD would show the tracker as one that it does not prune, and
    # kubectl has pruned nothing.
    shop.api.delete(*tracker)
    for kind in ("ConfigMap", "Job", "RoleBinding", "Role", "ServiceAccount"):
        for left in shop.api.list(kind, labels=COMPONENT):
            shop.api.delete(kind, left["metadata"]["name"])
    shop.check("Healthy")
    before = {one: uid_of(shop, *one) for one in ADOPTED}
    for kind, name in NAMES.items():
        old = uid_of(shop, kind, name)
        shop.api.delete(kind, name)
        until(f"the {kind} is gone", partial(uid_of, shop, kind, name), partial(operator.ne, old))
    # A commit that starts no canary, if the deployer has created them anew by itself.
    shop.release(plain="note")
    assert {one: uid_of(shop, *one) for one in ADOPTED} == before


OTHER = "other"
OF_THE_PLATFORM = {"serviceAccountName": ACCOUNT, "secretsRole": True}


def one_of_the_sets_of_an_account_goes(shop: Shop) -> None:
    """Uninstall one set while another one of its namespace, with the same account, is there and goes on."""
    api = shop.api
    api.apply_all(account_in(api.namespace))
    # Argo CD may warn of what no application has, as the account of the platform.
    shop.deploy(linker=OF_THE_PLATFORM)
    shop.until_running()
    shop.until_linked()
    release_other(shop, "a")
    old = api.names("ConfigMap", labels=OF_OTHER)
    shop.deployer.uninstall()
    until("the set is gone", lambda: api.list("ConfigMap", labels=IN_SET), lambda left: not left)
    assert api.names("ConfigMap", labels=OF_OTHER) == old
    for content in ("b", "c", "d"):
        release_other(shop, content)
    until(
        "the first revision of the other set is deleted",
        lambda: api.names("ConfigMap", labels=OF_OTHER),
        lambda found: not old - {f"{OTHER}-linker"} & found,
    )


def uninstall_the_other_set(shop: Shop) -> None:
    """Delete what the other set has besides its revisions: these go with it."""
    for kind, name in (("Deployment", OTHER), ("ConfigMap", f"{OTHER}-linker")):
        shop.api.delete(kind, name)
    until(
        "the revisions of the other set are gone",
        lambda: shop.api.names("ConfigMap", labels=OF_OTHER),
        lambda left: not left,
    )


OF_OTHER = f"revisions.krm-fn.io/set={OTHER}"


def release_other(shop: Shop, content: str) -> None:
    """Release another set with kubectl, and wait for its Job."""
    api, name = shop.api, f"{OTHER}-config"
    reader = workload("Deployment", OTHER, config=name, spec={"revisionHistoryLimit": 0})
    rendered = render(
        [config(content, name), reader],
        api.namespace,
        set_name=OTHER,
        linker={"serviceAccountName": ACCOUNT, "minimumAgeSeconds": 0, "timeoutSeconds": 60},
    )
    for item in yaml.safe_load_all(rendered):
        api.apply({**item, "metadata": {**item["metadata"], "namespace": api.namespace}})
    api.ready("Deployment", OTHER)
    jobs = until(
        "the Jobs of the other set have ended",
        lambda: api.list("Job", labels=f"{COMPONENT},{OF_OTHER}"),
        lambda found: found and all(map(has_ended, found)),
    )
    assert all(map(is_ready, jobs)), shop.runs()
    for job in jobs:
        api.delete("Job", job["metadata"]["name"])


def uid_of(shop: Shop, kind: str, name: str) -> str:
    """Return the uid of an object, `""` if there is none."""
    found = shop.api.find(kind, name)
    return str(found["metadata"]["uid"]) if found else ""


def go_back_while_paused(shop: Shop) -> None:
    """Revert the last commit while the canary is paused."""
    shop.release()
    before = shop.commit
    shop.release("Paused", content="b")
    shop.commit = before
    shop.release()
    shop.replace_pods()
    shop.check("Healthy")


def replace_the_job_before_it_runs(shop: Shop) -> None:
    """Deploy the next commit while the Job of the last one waits for its image.

    One Secret is then nobody's.
    """
    shop.release()
    with shop.kubelet.holding(shop.api.namespace):
        shop.deploy(content="b")
        shop.until_running()
        unlinked = shop.secret_of("b")
        shop.deploy(content="c")
        shop.until_running()
    shop.until_linked()
    shop.replace_pods()
    for content in ("d", "e", "f"):
        shop.deploy(content=content)
        shop.until_running()
        shop.until_linked()
    assert shop.api.names("Secret", labels=IN_SET) == {
        shop.secret_of(content) for content in ("b", "e", "f")
    }
    command = f"kubectl delete secret/{unlinked} configmap/{unlinked} -n {shop.api.namespace} --ignore-not-found"
    assert command in shop.runs()[-1].output
    for kind in ("Secret", "ConfigMap"):
        shop.api.delete(kind, unlinked)
    shop.check("Healthy")


def clean_between_releases(shop: Shop) -> None:
    """Let the CronJob run every minute: while a canary is paused, and after the last ReplicaSet of a revision."""
    shop.release()
    old = shop.revision_of("a"), shop.revision_of("a", "api-config")
    shop.release("Paused", content="b")
    shop.until_scheduled()
    assert {*old} <= shop.revisions().keys()
    shop.check("Paused")
    shop.promote()
    # What is rendered of configuration stays the same, and so does the Job.
    for image in (
        "2",
        "3",
    ):
        shop.deploy(image=image)
        shop.until_running("Paused")
        shop.promote()
    for name in old:
        shop.api.gone("ConfigMap", name)
    shop.until_scheduled()
    shop.check("Healthy")
    if shop.deployer.annotation != "flux":  # which takes back what kubectl has written, and says so
        shop.api.patch("CronJob", CRON_JOB, {"spec": {"suspend": True}}, manager="kubectl-patch")
        shop.check("Healthy")
        assert shop.api.get("CronJob", CRON_JOB)["spec"]["suspend"] is True
    shop.release(linker={"schedule": ""})
    assert shop.api.get("CronJob", CRON_JOB)["spec"]["suspend"] is True
    shop.release(linker={})
    shop.api.gone("CronJob", CRON_JOB)
    shop.replace_pods()
    shop.check("Healthy")
    shop.release(linker={"schedule": "@hourly"})  # the CronJob goes with the application


def one_usage_at_a_time(shop: Shop) -> None:
    """Play the steps of docs/staged-adoption.md, with a StatefulSet as the worker: a table there says what is shown."""
    shop.release()
    old = shop.revision_of("a", BASE)
    assert shown_by(shop)[2] == {old}

    pinned = {DB: old}
    shop.release(reads={API: BASE, **pinned}, shared={BASE: "b", old: "a"})
    new = shop.revision_of("b", BASE)
    assert shown_by(shop) == ({f"ConfigMap/{new}", "Deployment/api"}, set(), {old, new})
    assert read_in(shop) == {("api", new), ("db", old)}

    # Nobody reads the base any more, so that it is no revision.
    shop.release(reads={API: old, **pinned})
    assert shown_by(shop) == ({f"ConfigMap/{BASE}", "Deployment/api"}, set(), {BASE, old})
    assert read_in(shop) == {("api", old), ("db", old)}
    assert new in shop.revisions(), "it is in history"

    shop.release(reads={API: BASE, DB: BASE}, shared={BASE: "b"})
    assert shown_by(shop) == ({"Deployment/api", "StatefulSet/db"}, {f"ConfigMap/{BASE}"}, {new})
    assert read_in(shop) == {("api", new), ("db", new)}
    assert old in shop.revisions(), "it is in history"

    shop.deploy(image="2")
    shop.until_running()
    until("history is trimmed", lambda: consumers_by_revision(shop), lambda found: not found[old])
    shop.release(linker={"image": "registry.example/krm-fn:2"})
    shop.api.gone("ConfigMap", old)


def shown_by(shop: Shop) -> tuple[set[str], set[str], set[str]]:
    """Return what has changed, what was pruned, and which ConfigMaps of the base are parts of the application.

    Beside these, each step changes the linker's inventory, and replaces its Job.
    """
    assert isinstance(shop.deployer, ArgoApplication | FluxKustomization)
    changed, pruned, parts = shop.deployer.shown()
    linkers = {f"ConfigMap/{SET}-linker", *(f"Job/{name}" for name in shop.jobs())}
    assert linkers <= changed
    of_base = {
        name.removeprefix("ConfigMap/") for name in parts if name.startswith(f"ConfigMap/{BASE}")
    }
    return changed - linkers, {name for name in pruned if not name.startswith("Job/")}, of_base


def read_in(shop: Shop) -> set[tuple[str, str]]:
    """Return which ConfigMap the pods of each workload have."""
    return {(pod.partition("-")[0], name) for pod, name in shop.pods().items()}
