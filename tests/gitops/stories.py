"""Short stories that each deployer must survive. What they leave must go when the application is uninstalled."""

from tests.cluster.release import IN_SET, SET
from tests.gitops.shop import WITHIN, Shop

CRON_JOB = f"{SET}-linker"
SCHEDULED = {"schedule": "* * * * *"}
ADOPTED = (
    ("ConfigMap", "web-config"),
    ("ConfigMap", "api-config"),
    ("ConfigMap", "db-config"),
    ("Secret", "api-secret"),
)


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
        assert content != "c" or all(shop.api.find(kind, name) for kind, name in ADOPTED), "they are in history"
        shop.release("Paused", content=content)
        shop.promote()
    for kind, name in ADOPTED:
        shop.api.gone(kind, name, within=WITHIN)


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
    """Deploy the next commit while the Job of the last one waits for its image. One Secret is then nobody's."""
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
    assert shop.api.names("Secret", labels=IN_SET) == {shop.secret_of(content) for content in ("b", "e", "f")}
    assert f"kubectl -n {shop.api.namespace} delete secret/{unlinked} configmap/{unlinked}" in shop.runs()[-1].output
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
    for image in ("2", "3"):  # what is rendered of configuration stays the same, and so does the Job
        shop.deploy(image=image)
        shop.until_running("Paused")
        shop.promote()
    for name in old:
        shop.api.gone("ConfigMap", name, within=WITHIN)
    shop.until_scheduled()
    shop.check("Healthy")
    if shop.deployer.annotation != "flux":  # which takes back what kubectl has written, and says so
        shop.api.patch("CronJob", CRON_JOB, {"spec": {"suspend": True}}, manager="kubectl-patch")
        shop.check("Healthy")
        assert shop.api.get("CronJob", CRON_JOB)["spec"]["suspend"] is True
    shop.release(linker={"schedule": ""})
    assert shop.api.get("CronJob", CRON_JOB)["spec"]["suspend"] is True
    shop.release(linker={})
    shop.api.gone("CronJob", CRON_JOB, within=WITHIN)
    shop.replace_pods()
    shop.check("Healthy")
    shop.release(linker={"schedule": "@hourly"})  # the CronJob goes with the application
