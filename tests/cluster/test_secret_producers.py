"""What makes Secrets: each pod keeps the Secret that it started with, and a new pod waits for its own."""

import base64
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.api import Api
from tests.cluster.control_plane import ControlPlane
from tests.cluster.external_secrets import external_secret, fake_store
from tests.cluster.history_reader import (
    history_reader,
    leak,
    printed_command,
    rules_of_the_page,
    run_printed,
    tracker,
)
from tests.cluster.invariant_watcher import InvariantWatcher
from tests.cluster.kinds import KINDS
from tests.cluster.mounting_kubelet import MountingKubelet
from tests.cluster.release import DEPLOYERS, Release, owners, with_image
from tests.cluster.rollouts_controller import abort, rollout_in_phase
from tests.cluster.secret_producers import SECRET, External, MadeSecretShop, Producer, Sealed
from tests.cluster.workloads import delete_pods, until_unreferenced
from tests.wait import until

PRODUCERS = (External.kind, Sealed.kind)
each_producer = pytest.mark.parametrize("producer", PRODUCERS, indirect=True)
# Real deployers are in tests/gitops.
on_a_deployer = pytest.mark.parametrize(
    ("producer", "deployer"), list(zip(PRODUCERS, DEPLOYERS, strict=True)), indirect=["producer"]
)


@pytest.fixture
def producer(request: pytest.FixtureRequest) -> Producer:
    """Start the controller of the kind."""
    if request.param == External.kind:
        request.getfixturevalue("external_secrets")
        return External()
    return Sealed(request.getfixturevalue("sealed_secrets"))


@pytest.fixture
def shop(
    rollouts: ControlPlane, namespace: Api, deployer: str, producer: Producer
) -> Iterator[MadeSecretShop]:
    """Create an application in the test's namespace, and check after the test that no pod missed its Secret."""
    assert rollouts.processes
    producer.prepare(namespace)
    settings: dict[str, object] = {"kinds": [producer.kind], "linker": {"minimumAgeSeconds": 0}}
    application = Release(api=namespace, deployer=DEPLOYERS[deployer](namespace), settings=settings)
    with InvariantWatcher(namespace) as watcher, MountingKubelet(namespace) as kubelet:
        yield MadeSecretShop(
            api=namespace,
            producer=producer,
            kubelet=kubelet,
            watcher=watcher,
            application=application,
        )
        watcher.check()


@pytest.fixture
def paused(shop: MadeSecretShop) -> MadeSecretShop:
    """Release the old value, then the new one, and pause at the canary."""
    shop.release("old")
    shop.release("new", "Paused")
    return shop


@each_producer
def test_the_controller_makes_the_secret_and_it_goes_with_its_producer(
    producer: Producer, namespace: Api, cluster: ControlPlane
) -> None:
    assert cluster.processes[producer.program].runs
    producer.prepare(namespace)
    namespace.apply(producer.make(namespace, SECRET, "old"))
    made = namespace.wait("Secret", SECRET, "is made", bool)
    assert base64.b64decode(made["data"]["token"]) == b"old"
    assert [owner["kind"] for owner in made["metadata"]["ownerReferences"]] == [producer.kind]
    namespace.delete(producer.kind, SECRET)
    namespace.gone("Secret", SECRET)


@each_producer
def test_the_printed_command_deletes_a_leaking_secret_with_its_producer(
    producer: Producer, namespace: Api, tmp_path: Path
) -> None:
    """The Secret alone would be made anew, and without its tracker nobody would know of it."""
    producer.prepare(namespace)
    name = f"{SECRET}-bbbbbbbbbb"
    namespace.apply(producer.make(namespace, name, "old"))
    namespace.wait("Secret", name, "is made", bool)
    leak(namespace, tracker(name, SECRET, made_by=f"{producer.kind}/{name}"))
    with history_reader(namespace, tmp_path, rules_of_the_page()) as reader:
        run_printed(printed_command(reader, "kubectl delete"), namespace, tmp_path)
        for kind in (producer.kind, "ConfigMap", "Secret"):
            namespace.gone(kind, name)
        namespace.stays("ConfigMap", "shop-linker", seconds=1)
        assert namespace.find("Secret", name) is None, "nobody makes it anew"
        assert "kubectl delete" not in reader.run().stdout


@on_a_deployer
def test_a_last_release_takes_the_tracker_off_what_makes_a_secret(shop: MadeSecretShop) -> None:
    shop.release("old")
    name = shop.secret_of("old")
    assert owners(shop.api.get(shop.producer.kind, name)) == {f"ConfigMap/{name}"}
    shop.application.settings["leave"] = True
    shop.release("old")
    for kind in (shop.producer.kind, "ConfigMap"):
        assert owners(shop.api.get(kind, name)) == set()
    shop.api.delete("ConfigMap", name)
    shop.api.gone("ConfigMap", name)
    shop.api.stays("Secret", name, seconds=1)


def trim(shop: MadeSecretShop, name: str) -> None:
    """Release two more values, so that the ReplicaSet of this Secret is trimmed, and wait until both are gone."""
    for value in ("newer", "newest"):
        shop.release(value, "Paused")
        shop.promote()
    until_unreferenced(shop.application, name)
    shop.application.link()
    shop.until_gone(name)


@on_a_deployer
def test_new_pods_wait_for_their_secret_and_old_ones_run_on(
    shop: MadeSecretShop, cluster: ControlPlane
) -> None:
    shop.release("old")
    old = shop.secret_of("old")
    with cluster.paused(shop.producer.program):
        shop.application.release(*shop.objects("new"))
        until("a new pod waits", shop.kubelet.waited, lambda names: names - {("Secret", old)})
        until(
            "the canary has taken the place of one pod",
            shop.values,
            lambda found: found == ["old"],
        )
        rollout_in_phase(shop.api, "web", "Progressing")
        assert set(shop.secrets()) == {old}
    rollout_in_phase(shop.api, "web", "Paused")
    assert shop.values() == ["new", "old"]
    assert shop.kubelet.waited() <= {("Secret", old), ("Secret", shop.secret_of("new"))}


@on_a_deployer
def test_the_linker_may_get_and_patch_the_rendered_producer_and_no_secret(
    shop: MadeSecretShop,
) -> None:
    shop.release("old")
    rules = shop.api.get("Role", "shop-linker")["rules"]
    assert not [rule for rule in rules if "secrets" in rule["resources"]]
    api_version, plural, _ = KINDS[shop.producer.kind]
    (rule,) = (rule for rule in rules if plural in rule["resources"])
    assert rule == {
        "apiGroups": [api_version.partition("/")[0]],
        "resources": [plural],
        "verbs": ["get", "patch"],
        "resourceNames": [shop.secret_of("old")],
    }


@on_a_deployer
def test_replaced_pods_come_back_with_their_own_value(paused: MadeSecretShop) -> None:
    assert paused.values() == ["new", "old"]
    paused.replace_pods()
    assert sorted(paused.secrets().values()) == ["new", "old"]
    producers = paused.api.names(paused.producer.kind)
    assert producers == set(paused.secrets()), "each Secret has the name of its producer"


@on_a_deployer
def test_after_an_abort_all_pods_have_the_old_value(paused: MadeSecretShop) -> None:
    abort(paused.api, "web")
    rollout_in_phase(paused.api, "web", "Degraded")
    until("all pods are old again", paused.values, lambda found: found == ["old", "old"])
    paused.replace_pods()
    assert sorted(paused.secrets().values()) == ["new", "old"]


@on_a_deployer
def test_after_promotion_producer_and_secret_go_with_the_run_after_the_last_replica_set(
    paused: MadeSecretShop,
) -> None:
    old, new = paused.secret_of("old"), paused.secret_of("new")
    paused.promote()
    assert paused.values() == ["new", "new"]
    assert set(paused.secrets()) == {old, new}, "the old Secret is needed for a rollback"
    for image in ("app:2", "app:3"):  # the Secret does not change, so no Job runs
        written = paused.objects("new")
        paused.application.sync(written[0], with_image(written[1], image))
        rollout_in_phase(paused.api, "web", "Paused")
        paused.promote()
    until_unreferenced(paused.application, old)
    assert old in paused.secrets(), "no run has passed yet"
    paused.application.link()
    paused.until_gone(old)
    assert set(paused.secrets()) == {new}


@on_a_deployer
def test_going_back_to_a_value_whose_replica_set_still_exists(paused: MadeSecretShop) -> None:
    before = paused.api.get("Secret", paused.secret_of("old"))["metadata"]["uid"]
    paused.promote()
    paused.release("old", "Paused")
    paused.replace_pods()
    paused.promote()
    assert paused.values() == ["old", "old"]
    assert paused.api.get("Secret", paused.secret_of("old"))["metadata"]["uid"] == before


@on_a_deployer
def test_going_back_to_a_deleted_value_makes_it_again(paused: MadeSecretShop) -> None:
    old = paused.secret_of("old")
    paused.promote()
    trim(paused, old)
    # Its name is free again: the pods that wait for it do so for the first time since.
    paused.watcher.check()
    paused.release("old", "Paused")
    paused.promote()
    assert paused.values() == ["old", "old"]
    assert paused.secret_of("old") == old


@on_a_deployer
def test_after_an_uninstall_nothing_is_left(paused: MadeSecretShop) -> None:
    names = set(paused.secrets())
    paused.replace_pods()
    paused.watcher.check()
    # From here on, nobody minds what goes first.
    paused.watcher.forgive(*(("Secret", name) for name in names))
    paused.application.deployer.sync(b"")
    for name in names:
        paused.until_gone(name)


@on_a_deployer
def test_a_fixed_name_is_adopted_and_goes_with_its_last_replica_set(shop: MadeSecretShop) -> None:
    settings = shop.application.settings
    shop.application.settings = {**settings, "strategy": "ignore"}
    shop.application.sync(*shop.objects("old"))
    rollout_in_phase(shop.api, "web", "Healthy")
    before = shop.api.names("Pod", labels="app=web")
    shop.application.settings = {**settings, "strategy": "adopt"}
    shop.release("old")
    assert shop.api.names("Pod", labels="app=web") == before, "no pod was restarted"

    shop.application.settings = settings
    shop.release("new", "Paused")
    assert shop.secrets().keys() == {SECRET, shop.secret_of("new")}
    shop.replace_pods()
    shop.promote()
    trim(shop, SECRET)


@pytest.mark.parametrize(("producer", "deployer"), [(External.kind, "Flux")], indirect=["producer"])
def test_with_strategy_ignore_all_pods_get_the_new_value(shop: MadeSecretShop) -> None:
    shop.api.apply(fake_store(shop.api, {"": "old"}))
    producer = external_secret(shop.api, SECRET, "", refreshInterval="1s")
    producer["metadata"]["annotations"] = {"revisions.krm-fn.io/strategy": "ignore"}
    # Nothing is a revision, so there is no Job.
    shop.application.sync(producer, shop.rollout)
    rollout_in_phase(shop.api, "web", "Healthy")
    shop.application.sync(producer, with_image(shop.rollout, "app:2"))
    rollout_in_phase(shop.api, "web", "Paused")
    assert shop.values() == ["old", "old"]
    shop.api.apply(fake_store(shop.api, {"": "new"}))
    until("the Secret has changed", shop.secrets, lambda found: found == {SECRET: "new"})
    delete_pods(shop.api, "app=web")
    until("all pods have the new value", shop.values, lambda found: found == ["new", "new"])
