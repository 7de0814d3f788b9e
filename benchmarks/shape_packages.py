"""The shapes of packages that may cost more than they hold: what there can be many of, one shape a row."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import yaml

Object = dict[str, Any]
Package = tuple[Iterable[Object], Object]
"""The objects, and the `spec` of the configuration."""

_PREFIX = "revisions.krm-fn.io/"
_INTERNAL = "internal.config.kubernetes.io/"
_WIDGET = ("example.com/v1", "Widget")


class Shape(NamedTuple):
    """What there is n of, and the package.

    `run`: what is done with it, by its name in `shape_runs`.

    `least`: from which n on it takes the way that large packages take: numbers of several lengths,
    too.
    """

    what: str
    make: Callable[[int], Package]
    run: str = "transform"
    least: int = 8


class _Dumper(yaml.CSafeDumper):
    """Writes no aliases: objects share parts."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002  # the library's interface
        return True


def _write_text(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    """Write lines as a block: only there a name in data can be edited."""
    return dumper.represent_scalar(
        "tag:yaml.org,2002:str", text, style="|" if "\n" in text else None
    )


_Dumper.add_representer(str, _write_text)


def write_package(package: Package) -> bytes:
    """Write a ResourceList, as kustomize sends it."""
    objects, spec = package
    config = {
        "apiVersion": "revisions.krm-fn.io/v1",
        "kind": "ConfigRevisions",
        "metadata": {"name": "shop"},
        "spec": {"linker": {"image": "registry.example/krm-fn:1"}, **spec},
    }
    whole = {
        "apiVersion": "config.kubernetes.io/v1",
        "kind": "ResourceList",
        "items": list(objects),
        "functionConfig": config,
    }
    written: bytes = yaml.dump(
        whole, Dumper=_Dumper, encoding="utf-8", sort_keys=False, width=10_000
    )
    return written


def write_stream(objects: Iterable[Object]) -> bytes:
    """Write documents."""
    written: bytes = yaml.dump_all(
        objects, Dumper=_Dumper, encoding="utf-8", sort_keys=False, width=10_000
    )
    return written


def _object(
    api_version: str, kind: str, name: str, namespace: str = "shop", /, **rest: Any
) -> Object:
    """Build an object. `annotations` and `labels` go into its metadata."""
    metadata: Object = {"name": name, **({"namespace": namespace} if namespace else {})}
    metadata |= {key: rest.pop(key) for key in ("annotations", "labels") if key in rest}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **rest}


def _config_map(name: str, namespace: str = "shop", /, **rest: Any) -> Object:
    data = {"data": {"key": f"value of {name}"}}
    return _object("v1", "ConfigMap", name, namespace, **(data | rest))


def _secret(name: str, namespace: str = "shop", /) -> Object:
    return _object("v1", "Secret", name, namespace, stringData={"key": f"value of {name}"})


def _template(
    *names: str,
    kind: str = "ConfigMap",
    args: Iterable[str] = (),
    annotations: Object | None = None,
) -> Any:
    """Build a pod template with a volume for each of the names."""
    source, field = ("secret", "secretName") if kind == "Secret" else ("configMap", "name")
    volumes = [{"name": f"v{place}", source: {field: name}} for place, name in enumerate(names)]
    container = {
        "name": "app",
        "image": "registry.example/app:1",
        **({"args": list(args)} if args else {}),
    }
    metadata = {"labels": {"app": "app"}, **({"annotations": annotations} if annotations else {})}
    return {"metadata": metadata, "spec": {"containers": [container], "volumes": volumes}}


def _deployment(
    name: str, *names: str, namespace: str = "shop", kind: str = "ConfigMap", **rest: Any
) -> Object:
    template = _template(*names, kind=kind, args=rest.pop("args", ()))
    return _object("apps/v1", "Deployment", name, namespace, **rest, spec={"template": template})


def _pairs(size: int, **rest: Any) -> list[Object]:
    """Build as many ConfigMaps, each with a Deployment that reads it."""
    numbers = range(size)
    pairs = [
        (_config_map(f"config-{one}", **rest), _deployment(f"web-{one}", f"config-{one}"))
        for one in numbers
    ]
    return [made for pair in pairs for made in pair]


def _plain(size: int) -> Package:
    return _pairs(size), {}


def _namespaces(size: int) -> Package:
    spaces = [f"team-{number}" for number in range(size)]
    configs = [_config_map("config", space) for space in spaces]
    return [*configs, *(_deployment("web", "config", namespace=space) for space in spaces)], {}


def _foreign_namespaces(size: int) -> Package:
    """Each referrer is in a namespace that does not have the object."""
    spaces = [f"team-{number}" for number in range(size)]
    configs = [_config_map("config", f"{space}-config") for space in spaces]
    return [*configs, *(_deployment("web", "config", namespace=space) for space in spaces)], {}


def _no_namespace(size: int) -> Package:
    configs = [_config_map("config", f"team-{number}") for number in range(size)]
    return [
        *configs,
        *(_deployment(f"web-{number}", "config", namespace="") for number in range(size)),
    ], {}


def _named_namespaces(size: int) -> Package:
    """Cluster-scoped objects that name a namespace beside the name."""
    configs = [_config_map("config", f"team-{number}") for number in range(size)]
    issuers = [
        _object(
            *("cert-manager.io/v1", "ClusterIssuer", f"issuer-{number}", ""),
            spec={"configMapRef": {"name": "config", "namespace": f"team-{number}"}},
        )
        for number in range(size)
    ]
    return [*configs, *issuers, *_pairs(1)], {"select": [{"name": "*"}]}


def _subpackages(size: int) -> Package:
    made = []
    for number in range(size):
        annotations = {f"{_INTERNAL}package-path": f"shop/part-{number}"}
        made += [_config_map("config", annotations=annotations, data={"key": str(number)})]
        made += [_deployment(f"web-{number}", "config", annotations=annotations)]
    return made, {}


def _nested_subpackages(size: int) -> Package:
    """Each holds the others."""
    made = []
    for number in range(size):
        annotations = {
            f"{_INTERNAL}package-path": "/".join(["part"] * (number % 20 + 1)) + f"/{number}"
        }
        made += [_config_map("config", annotations=annotations, data={"key": str(number)})]
        made += [_deployment(f"web-{number}", "config", annotations=annotations)]
    return made, {}


def _prefixes(size: int) -> Package:
    made = []
    for number in range(size):
        annotations = {
            f"{_INTERNAL}previousNames": "config",
            f"{_INTERNAL}previousNamespaces": "default",
            f"{_INTERNAL}previousKinds": "ConfigMap",
            f"{_INTERNAL}prefixes": f"team-{number}-",
        }
        made += [_config_map(f"team-{number}-config", annotations=annotations)]
        made += [_deployment(f"team-{number}-web", "config", annotations=annotations)]
    return made, {}


def _former_names(size: int) -> Package:
    """Two ConfigMaps had all the names, of which one was called so later, and each name has a referrer."""
    names = [f"former-{one}" for one in range(size)]
    formers = (["other", *names], names)
    configs = [
        _config_map(f"config-{one}", annotations=_formerly("ConfigMap", names))
        for one, names in enumerate(formers)
    ]
    return [*configs, *(_deployment(f"web-{one}", f"former-{one}") for one in range(size))], {}


def _former_names_of_a_producer(size: int) -> Package:
    """Give a producer as many former names, which its Secret had too. Each has a referrer."""
    annotations = _formerly("SealedSecret", [f"former-{one}" for one in range(size)])
    sealed = _object(
        "bitnami.com/v1alpha1", "SealedSecret", "config", annotations=annotations, spec={}
    )
    workloads = [_deployment(f"web-{one}", f"former-{one}", kind="Secret") for one in range(size)]
    return [sealed, *workloads], {"kinds": ["SealedSecret"]}


def _formerly(kind: str, names: Sequence[str]) -> Object:
    return {
        f"{_INTERNAL}previousNames": ",".join(names),
        f"{_INTERNAL}previousNamespaces": ",".join(["shop"] * len(names)),
        f"{_INTERNAL}previousKinds": ",".join([kind] * len(names)),
    }


def _entries(
    name: str, entry: str, separator: str = ",", *, is_label: bool = False
) -> Callable[[int], Package]:
    """Give every object of a package one annotation, or a label, with many entries."""

    def make(size: int) -> Package:
        text = separator.join(entry.format(one) for one in range(size))
        marks: Any = {"labels" if is_label else "annotations": {name: text}}
        made = [
            _config_map("config", **marks),
            _secret("secret"),
            _deployment("web", "config", **marks),
            _object(
                "apps/v1",
                "Deployment",
                "pods",
                spec={"template": _template("config", annotations={name: text})},
            ),
            _object("batch/v1", "Job", "job", **marks, spec={"template": _template("config")}),
            _object("networking.k8s.io/v1", "Ingress", "web", **marks, spec={}),
            _object(*_WIDGET, "widget", **marks, spec={}),
        ]
        made[1]["metadata"] |= marks
        return made, {"kinds": ["ConfigMap", "Secret"]}

    return make


def _mounts(size: int) -> Package:
    mounts = [
        {
            "kind": "Deployment",
            "name": f"web-{number}",
            "configMap": f"config-{number}",
            "path": "/etc/config",
        }
        for number in range(size)
    ]
    workloads = [_deployment(f"web-{number}") for number in range(size)]
    return [*workloads, *(_config_map(f"config-{number}") for number in range(size))], {
        "mounts": mounts
    }


def _mounts_of_one(size: int) -> Package:
    mounts = [
        {
            "kind": "Deployment",
            "name": "web",
            "configMap": f"config-{number}",
            "path": f"/etc/{number}",
        }
        for number in range(size)
    ]
    return [_deployment("web"), *(_config_map(f"config-{number}") for number in range(size))], {
        "mounts": mounts
    }


def _mounts_in_containers(size: int) -> Package:
    """Each in a container of its own of one workload."""
    mounts = [
        {
            "kind": "Deployment",
            "name": "web",
            "containers": [f"c-{one}"],
            "configMap": "config",
            "path": f"/etc/{one}",
        }
        for one in range(size)
    ]
    containers = [{"name": f"c-{one}", "image": "app:1"} for one in range(size)]
    web = _object(
        "apps/v1", "Deployment", "web", spec={"template": {"spec": {"containers": containers}}}
    )
    return [web, _config_map("config")], {"mounts": mounts}


def _variables_of_one(size: int) -> Package:
    mounts = [
        {
            "kind": "Deployment",
            "name": "web",
            "configMap": f"config-{number}",
            "envFrom": True,
            "prefix": f"P{number}_",
        }
        for number in range(size)
    ]
    return [_deployment("web"), *(_config_map(f"config-{number}") for number in range(size))], {
        "mounts": mounts
    }


def _mounts_without_source(size: int) -> Package:
    objects, spec = _mounts(size)
    return objects, {
        "mounts": [
            {**mount, "configMap": f"conifg-{one}", "optional": True}
            for one, mount in enumerate(spec["mounts"])
        ]
    }


def _mounts_nowhere(size: int) -> Package:
    objects, spec = _mounts(size)
    return objects, {
        "mounts": [{**mount, "name": f"wbe-{mount['name']}"} for mount in spec["mounts"]]
    }


def _large_data(size: int) -> Package:
    large = _config_map(
        "config-bcdfghkmtt", data={f"key-{number}": "text" for number in range(size)}
    )
    return [large, *_pairs(2)], {
        "select": [{"name": f"other-{number}"} for number in range(size)] + [{"name": "c*"}]
    }


def _select(size: int) -> Package:
    return _pairs(size), {"select": [{"name": f"config-{number}"} for number in range(size)]}


def _select_nothing(size: int) -> Package:
    return _pairs(size), {
        "select": [{"name": f"conifg-{number}"} for number in range(size)] + [{"name": "config-0"}]
    }


def _select_elsewhere(size: int) -> Package:
    """Entries whose other conditions no object meets."""
    select = [
        {"name": f"config-{number}", "namespace": "test", "labels": {"a": "b"}}
        for number in range(size)
    ]
    return _pairs(size), {"select": [*select, {"name": "config-0"}]}


def _exclude(size: int) -> Package:
    return _pairs(size), {"exclude": [{"name": f"config-{number}"} for number in range(0, size, 2)]}


def _other_sets(size: int) -> Package:
    made = []
    for number in range(size):
        name = f"config-{number}-bcdfghkmtt"
        marks = {
            "labels": {f"{_PREFIX}set": f"set-{number}"},
            "annotations": {f"{_PREFIX}base-name": f"config-{number}"},
        }
        made += [_config_map(name, **marks), _deployment(f"web-{number}", name)]
    return made, {}


def _taken_over_sets(size: int) -> Package:
    objects, _ = _other_sets(size)
    return objects, {"takeOver": [f"set-{number}" for number in range(size)]}


def _linkers_of_other_sets(size: int) -> Package:
    made = []
    for number in range(size):
        labels = {f"{_PREFIX}set": f"set-{number}", f"{_PREFIX}component": "linker"}
        annotations = {f"{_PREFIX}rendered": f"config-{number}-bcdfghkmtt"}
        made += [
            _object(
                "v1", "ConfigMap", f"set-{number}-linker", labels=labels, annotations=annotations
            )
        ]
    return [*made, *_pairs(2)], {}


def _misspelled(size: int) -> Package:
    configs = [_config_map(f"team-{number}-settings") for number in range(size)]
    return [
        *configs,
        *(_deployment(f"web-{number}", f"team-{number}-setings") for number in range(size)),
    ], {}


def _pins(size: int) -> Package:
    configs = [_config_map(f"config-{number}") for number in range(size)]
    workloads = [_deployment(f"web-{number}", f"config-{number}") for number in range(size)]
    return [
        *configs,
        *workloads,
        *(_deployment(f"old-{one}", f"config-{one}-bcdfghkmtt") for one in range(size)),
    ], {}


def _unfollowed(size: int) -> Package:
    objects = [
        _object(*_WIDGET, f"widget-{one}", spec={"theConfigMapHere": f"config-{one}"})
        for one in range(size)
    ]
    return [*_pairs(size), *objects], {}


def _unfollowed_in_one(size: int) -> Package:
    names = [f"config-{number}" for number in range(size)]
    return [*_pairs(size), _object(*_WIDGET, "widget", spec={"theConfigMapsHere": names})], {}


def _options(size: int) -> Package:
    workloads = [
        _deployment(f"main-{one}", args=[f"--config-map=config-{one}"]) for one in range(size)
    ]
    return [*_pairs(size), *workloads], {}


def _options_for_one(size: int) -> Package:
    workloads = [
        _deployment(f"main-{one}", "config", args=["--config-map=config"]) for one in range(size)
    ]
    return [_config_map("config"), *workloads], {"select": [{"name": "*"}]}


def _options_in_namespaces(size: int) -> Package:
    made = []
    for number in range(size):
        space = f"team-{number}"
        made += [_config_map("config", space)]
        made += [_deployment("web", "config", namespace=space, args=["--config-map=config"])]
    return made, {}


def _selected_options_in_namespaces(size: int) -> Package:
    objects, _ = _options_in_namespaces(size)
    return objects, {"select": [{"name": "*"}]}


def _api_readers(size: int) -> Package:
    rbac = "rbac.authorization.k8s.io"
    rule = {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"]}
    made = _pairs(size)
    for number in range(size):
        role = {"apiGroup": rbac, "kind": "Role", "name": f"reader-{number}"}
        subject = {"kind": "ServiceAccount", "name": f"reader-{number}"}
        made += [_object(f"{rbac}/v1", "Role", f"reader-{number}", rules=[rule])]
        made += [
            _object(
                f"{rbac}/v1", "RoleBinding", f"reader-{number}", roleRef=role, subjects=[subject]
            )
        ]
    return made, {}


def _bindings_of_one(size: int) -> Package:
    """Many roles for the account of every pod, in other namespaces."""
    rbac = "rbac.authorization.k8s.io"
    rule = {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"]}
    subject = {"kind": "ServiceAccount", "name": "default", "namespace": "shop"}
    made = _pairs(size)
    for number in range(size):
        space = f"team-{number}"
        made += [_object(f"{rbac}/v1", "Role", "reader", space, rules=[rule])]
        role = {"apiGroup": rbac, "kind": "Role", "name": "reader"}
        made += [
            _object(f"{rbac}/v1", "RoleBinding", "reader", space, roleRef=role, subjects=[subject])
        ]
    return made, {}


def _aggregated_roles(size: int) -> Package:
    rbac = "rbac.authorization.k8s.io"
    made = _pairs(size)
    for number in range(size):
        rule = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}
        select = {"clusterRoleSelectors": [{"matchLabels": {"part-of": str(number)}}]}
        labels = {"part-of": str(number + 1)}
        role = {"apiGroup": rbac, "kind": "ClusterRole", "name": f"reader-{number}"}
        subject = {"kind": "ServiceAccount", "name": "other", "namespace": "shop"}
        made += [
            _object(
                f"{rbac}/v1",
                "ClusterRole",
                f"reader-{number}",
                "",
                labels=labels,
                rules=[rule],
                aggregationRule=select,
            )
        ]
        made += [
            _object(
                f"{rbac}/v1", "RoleBinding", f"reader-{number}", roleRef=role, subjects=[subject]
            )
        ]
    return made, {}


def _containers_that_may_read(size: int) -> Package:
    objects, _ = _sidecars(size)
    rbac = "rbac.authorization.k8s.io"
    rule = {"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"]}
    role = {"apiGroup": rbac, "kind": "Role", "name": "reader"}
    subject = {"kind": "ServiceAccount", "name": "default"}
    reader = _object(f"{rbac}/v1", "Role", "reader", rules=[rule])
    return [
        *objects,
        reader,
        _object(f"{rbac}/v1", "RoleBinding", "reader", roleRef=role, subjects=[subject]),
    ], {}


def _resource_names(size: int) -> Package:
    names = [f"config-{number}" for number in range(size)]
    rule = {
        "apiGroups": [""],
        "resources": ["configmaps"],
        "verbs": ["get"],
        "resourceNames": names,
    }
    role = _object("rbac.authorization.k8s.io/v1", "Role", "reader", rules=[rule])
    return [*_pairs(size), role], {"select": [{"name": "*"}]}


def _roles(size: int) -> Package:
    rule = {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"]}
    roles = [
        _object(
            "rbac.authorization.k8s.io/v1",
            "Role",
            f"r-{one}",
            rules=[{**rule, "resourceNames": [f"config-{one}"]}],
        )
        for one in range(size)
    ]
    return [*_pairs(size), *roles], {"select": [{"name": "*"}]}


def _job(number: int) -> Object:
    template = _template(f"config-{number}")
    annotations = (
        {"config.kubernetes.io/depends-on": f"batch/namespaces/shop/Job/job-{number - 1}"}
        if number
        else {}
    )
    return _object(
        "batch/v1", "Job", f"job-{number}", annotations=annotations, spec={"template": template}
    )


def _rules(size: int) -> Package:
    """Put all rules into one role, which every pod has."""
    rbac = "rbac.authorization.k8s.io"
    rules = [
        {"apiGroups": [f"team-{one}.example.com"], "resources": ["configmaps"], "verbs": ["get"]}
        for one in range(size)
    ]
    role = {"apiGroup": rbac, "kind": "Role", "name": "reader"}
    subject = {"kind": "ServiceAccount", "name": "default"}
    reader = _object(f"{rbac}/v1", "Role", "reader", rules=rules)
    return [
        *_pairs(size),
        reader,
        _object(f"{rbac}/v1", "RoleBinding", "reader", roleRef=role, subjects=[subject]),
    ], {}


def _jobs(size: int) -> Package:
    waits = [
        _deployment(f"wait-{one}", args=["kubectl", "wait", f"job/job-{one}"])
        for one in range(size)
    ]
    return [
        *map(_job, range(size)),
        *(_config_map(f"config-{one}") for one in range(size)),
        *waits,
    ], {"jobs": "rename"}


def _sidecars(size: int) -> Package:
    containers = [
        {
            "name": f"c-{number}",
            "image": "app:1",
            "envFrom": [{"configMapRef": {"name": f"config-{number}"}}],
        }
        for number in range(size)
    ]
    web = _object(
        "apps/v1", "Deployment", "web", spec={"template": {"spec": {"containers": containers}}}
    )
    return [web, *(_config_map(f"config-{number}") for number in range(size))], {}


def _schedule(size: int) -> Package:
    """Build an object of which others are made, with many references."""
    sources = [{"configMapRef": {"name": f"cfg-{number}"}} for number in range(size)]
    template = {"name": "app", "container": {"image": "app:1", "envFrom": sources}}
    spec = {"schedule": "0 3 * * *", "workflowSpec": {"templates": [template]}}
    maker = _object("argoproj.io/v1alpha1", "CronWorkflow", "app", spec=spec)
    return [maker, *(_config_map(f"cfg-{number}") for number in range(size))], {}


def _referrers_of_one(size: int) -> Package:
    return [
        _config_map("config"),
        *(_deployment(f"web-{number}", "config") for number in range(size)),
    ], {}


def _references_of_one_to_one(size: int) -> Package:
    return [_config_map("config"), _deployment("web", *["config"] * size)], {}


def _embedded(size: int) -> Package:
    data = [
        _config_map(
            f"data-{one}", data={"pod.yaml": f"spec:\n  configMapRef:\n    name: config-{one}\n"}
        )
        for one in range(size)
    ]
    return [*_pairs(size), *data], {"select": [{"name": "*"}]}


def _embedded_in_one(size: int) -> Package:
    text = "".join(f"- configMapRef:\n    name: config-{number}\n" for number in range(size))
    return [*_pairs(size), _config_map("data", data={"pod.yaml": text})], {
        "select": [{"name": "*"}]
    }


def _embedded_chain(size: int) -> Package:
    data = [
        _config_map(
            f"data-{one}",
            data={"pod.yaml": f"configMapRef:\n  name: data-{one + 1}\n" if one % 4 else "x"},
        )
        for one in range(size)
    ]
    return [*_pairs(2), *data], {"select": [{"name": "*"}]}


def _one_chain(size: int) -> Package:
    """Each name depends on that of the next, to the last."""
    return [
        _config_map(f"data-{one}", data={"pod.yaml": f"configMapRef:\n  name: data-{one + 1}\n"})
        for one in range(size)
    ], {"select": [{"name": "*"}]}


def _secrets(size: int) -> Package:
    made = [_secret(f"secret-{number}") for number in range(size)]
    workloads = [
        _deployment(f"web-{number}", f"secret-{number}", kind="Secret") for number in range(size)
    ]
    return [*made, *workloads], {"kinds": ["ConfigMap", "Secret"]}


def _adopt(size: int) -> Package:
    return _pairs(size), {"strategy": "adopt"}


def _checksum(size: int) -> Package:
    return _pairs(size), {"strategy": "checksum"}


def _reloader(size: int) -> Package:
    made = []
    for number in range(size):
        annotations = {
            "reloader.stakater.com/auto": "true",
            "configmap.reloader.stakater.com/reload": f"extra-{number}",
            "configmaps.exclude.reloader.stakater.com/reload": f"config-{number}",
        }
        made += [_config_map(f"config-{number}"), _config_map(f"extra-{number}")]
        made += [_deployment(f"web-{number}", f"config-{number}", annotations=annotations)]
    return made, {"select": []}


def _reloader_list(size: int) -> Package:
    names = ",".join(f"config-{number}" for number in range(size))
    web = _deployment("web", annotations={"configmap.reloader.stakater.com/reload": names})
    return [web, *(_config_map(f"config-{number}") for number in range(size))], {"select": []}


def _early_readers(size: int) -> Package:
    made = []
    for number in range(size):
        annotations = {"argocd.argoproj.io/sync-wave": str(-number - 1)}
        made += [_deployment(f"web-{number}", "config", annotations=annotations)]
    return [_config_map("config"), *made], {}


def _duplicates(size: int) -> Package:
    return [
        _object("v1", "Service", "web", spec={"type": "ClusterIP"}) for _ in range(size)
    ] + _pairs(1), {}


def _reference_specs(size: int) -> Package:
    specs = [
        {"group": "example.com", "kind": f"Kind{one}", "path": "spec/config"} for one in range(size)
    ]
    objects = [
        _object("example.com/v1", f"Kind{one}", "one", spec={"config": f"config-{one}"})
        for one in range(size)
    ]
    return [*_pairs(size), *objects], {"references": [{"kind": "ConfigMap", "fieldSpecs": specs}]}


def _unused_reference_specs(size: int) -> Package:
    specs = [
        {"group": "example.com", "kind": f"Kind{one}", "path": "spec/config"} for one in range(size)
    ]
    objects = [
        _object("example.com/v1", f"Kinds{one}", "one", spec={"name": f"config-{one}"})
        for one in range(size)
    ]
    return [*_pairs(size), *objects], {"references": [{"kind": "ConfigMap", "fieldSpecs": specs}]}


def _definitions(size: int) -> Package:
    made = []
    for one in range(size):
        names = {"kind": f"Kind{one}", "plural": f"kind{one}s"}
        spec = {"group": "example.com", "names": names, "scope": "Namespaced"}
        made += [
            _object(
                "apiextensions.k8s.io/v1",
                "CustomResourceDefinition",
                f"kind{one}s.example.com",
                "",
                spec=spec,
            )
        ]
        template = _template(f"config-{one}")
        made += [_object("example.com/v1", f"Kind{one}", "one", spec={"template": template})]
        made += [_config_map(f"config-{one}")]
    return made, {}


def _linker_kinds(size: int) -> Package:
    return _pairs(2), {
        "linker": {"image": "a:1", "kinds": [f"example.com/v1/Kind{one}" for one in range(size)]}
    }


def _linker_kinds_that_do_not_exist(size: int) -> Package:
    return _pairs(size), {
        "linker": {"image": "a:1", "kinds": [f"example.com/v1/Kind{one}" for one in range(size)]}
    }


def _producers(size: int) -> Package:
    made = [
        _object(
            "cert-manager.io/v1", "Certificate", f"web-{one}", spec={"secretName": f"tls-{one}"}
        )
        for one in range(size)
    ]
    return [
        *made,
        *(_deployment(f"web-{one}", f"tls-{one}", kind="Secret") for one in range(size)),
    ], {}


def _policies(size: int) -> Package:
    group, made = "admissionregistration.k8s.io/v1", []
    for one in range(size):
        kind = {"apiVersion": "v1", "kind": "ConfigMap"}
        made += [
            _object(
                group, "ValidatingAdmissionPolicy", f"policy-{one}", "", spec={"paramKind": kind}
            )
        ]
        spec = {
            "policyName": f"policy-{one}",
            "paramRef": {"name": f"config-{one}", "namespace": "shop"},
        }
        made += [
            _object(group, "ValidatingAdmissionPolicyBinding", f"binding-{one}", "", spec=spec)
        ]
    return [*_pairs(size), *made], {"select": [{"name": "*"}]}


def _keys(size: int) -> Package:
    return [
        _config_map("config", data={f"key-{one}": "text" for one in range(size)}),
        _deployment("web", "config"),
    ], {}


def _keys_that_are_no_text(size: int) -> Package:
    return [
        _config_map("config", data={f"key-{one}": one for one in range(size)}),
        _deployment("web", "config"),
    ], {}


_LINE = "server: {port: 8080, name: config-0, path: /etc/app, text: some words more}"


def _long_block(size: int) -> Package:
    """Build a value of many lines: 1 MB at 11,000."""
    text = "".join(f"{_LINE} # {one}\n" for one in range(size))
    return [_config_map("config", data={"key": text}), _deployment("web", "config"), *_pairs(2)], {}


def _long_line(size: int) -> Package:
    """Build a value of one line, with many words."""
    text = " ".join(f"config-{one % 4}.shop.svc:8080" for one in range(size))
    return [_config_map("config", data={"key": text}), _deployment("web", "config"), *_pairs(2)], {}


def _long_path(size: int) -> Package:
    """Build a value of one line with colons, as a search path has them."""
    text = ":".join(f"lib-{one % 4}.jar" for one in range(size))
    return [
        _config_map("config", data={"key": text}),
        _deployment("web", "config", args=[f"--path={text}"]),
    ], {}


def _long_unfollowed_line(size: int) -> Package:
    """Build the same in a field of a custom resource that no rule follows."""
    text = " ".join(f"config-{one % 4}.shop.svc:8080" for one in range(size))
    return [
        _object(*_WIDGET, "widget", spec={"theConfigMapHere": text, "args": [text]}),
        *_pairs(4),
    ], {}


def _binary_data(size: int) -> Package:
    """`size` times 60 bytes in Base64."""
    large = _config_map("config", data={}, binaryData={"key": "c29tZSB3b3Jk" * 5 * size})
    return [large, _deployment("web", "config"), *_pairs(2)], {}


_DEEPEST = 200
"""Levels in one object: some more are refused."""


def _levels(size: int) -> Package:
    """As many levels, in as few objects."""
    made = []
    for start in range(0, size, _DEEPEST):
        tree: Any = {"theConfigMapHere": "config-0"}
        for level in range(start, min(start + _DEEPEST, size)):
            tree = {"inner": tree} if level % 2 else [tree, f"config-{level}"]
        made += [_object(*_WIDGET, f"widget-{start}", spec={"tree": tree})]
    return [*made, *_pairs(2)], {}


def _levels_in_data(size: int) -> Package:
    made = []
    for start in range(0, size, _DEEPEST // 2):
        levels = range(min(_DEEPEST // 2, size - start))
        text = (
            "".join(f"{' ' * level}inner:\n" for level in levels)
            + f"{' ' * len(levels)}configMapRef: config-0\n"
        )
        made += [_config_map(f"data-{start}", data={"tree.yaml": text})]
    return [*made, *_pairs(2)], {"select": [{"name": "*"}]}


def _large_definition(size: int) -> Package:
    """Build a definition with many fields, as an operator has that embeds pod templates."""
    text = "Name of the referent. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names"
    fields = {
        f"field{one}": {
            "description": text,
            "type": "object",
            "properties": {
                "configMapRef": {"type": "object", "properties": {"name": {"type": "string"}}}
            },
        }
        for one in range(size)
    }
    names = {"kind": "Widget", "plural": "widgets"}
    versions = [
        {"name": "v1", "schema": {"openAPIV3Schema": {"type": "object", "properties": fields}}}
    ]
    spec = {"group": "example.com", "names": names, "scope": "Namespaced", "versions": versions}
    crd = _object(
        "apiextensions.k8s.io/v1", "CustomResourceDefinition", "widgets.example.com", "", spec=spec
    )
    return [crd, *_pairs(2)], {}


def _labels(size: int) -> Package:
    many = {f"example.com/label-{one}": "text" for one in range(size)}
    config = _config_map("config", labels=many, annotations=many)
    return [config, _deployment("web", "config", labels=many, annotations=many)], {}


def _own_annotations(size: int) -> Package:
    return [*_pairs(size, annotations={f"{_PREFIX}stratgy": "rename"})], {}


def _strategies(size: int) -> Package:
    return [*_pairs(size, annotations={f"{_PREFIX}strategy": "rename"})], {}


def _files(size: int) -> Package:
    made = _pairs(size)
    for number, one in enumerate(made):
        one["metadata"]["annotations"] = {
            f"{_INTERNAL}path": f"{number % 7}.yaml",
            f"{_INTERNAL}index": str(number),
        }
    return made, {}


def _objects_of_no_interest(size: int) -> Package:
    return [
        *_pairs(1),
        *(_object("v1", "Service", f"web-{one}", spec={"type": "x"}) for one in range(size)),
    ], {}


_ANNOTATIONS = (
    (f"{_INTERNAL}previousNames", "former-{}"),
    (f"{_INTERNAL}previousNamespaces", "team-{}"),
    (f"{_INTERNAL}previousKinds", "Kind{}"),
    (f"{_INTERNAL}prefixes", "team-{}-"),
    (f"{_INTERNAL}suffixes", "-team-{}"),
    (f"{_INTERNAL}package-path", "part-{}", "/"),
    (f"{_INTERNAL}path", "part-{}", "/"),
    (f"{_INTERNAL}index", "{}", ""),
    (f"{_INTERNAL}needsHashSuffix", "enabled"),
    (f"{_INTERNAL}generatorBehavior", "merge"),
    (f"{_PREFIX}base-name", "config-{}", ""),
    (f"{_PREFIX}rendered", "config-{}"),
    (f"{_PREFIX}strategy", "rename"),
    (f"{_PREFIX}retain", "true"),
    (f"{_PREFIX}wanted", "true"),
    (f"{_PREFIX}checksum", "checksum/{}"),
    (f"{_PREFIX}made-by", "SealedSecret {}"),
    (f"{_PREFIX}stands-for", "SealedSecret {}"),
    (f"mounts.{_PREFIX}shop", "volume=config-{}", " "),
    ("config.kubernetes.io/function", "- exec: {{path: krm-fn-{}}}", "\n"),
    ("config.kubernetes.io/depends-on", "/namespaces/shop/ConfigMap/config-{}"),
    ("config.kubernetes.io/local-config", "false"),
    ("config.kubernetes.io/origin", "path: part-{}.yaml", "\n"),
    ("config.kubernetes.io/path", "part-{}", "/"),
    (
        "kubectl.kubernetes.io/last-applied-configuration",
        '{{"configMapRef": {{"name": "config-{}"}}}}',
    ),
    ("argocd.argoproj.io/hook", "Sync"),
    ("argocd.argoproj.io/sync-options", "Option{}=true"),
    ("argocd.argoproj.io/compare-options", "Option{}"),
    ("argocd.argoproj.io/sync-wave", "{}", ""),
    ("helm.sh/hook", "pre-install"),
    ("helm.sh/hook-weight", "{}", ""),
    ("helm.sh/resource-policy", "policy-{}"),
    ("kapp.k14s.io/versioned", "{}", ""),
    ("kapp.k14s.io/change-rule", "upsert after upserting group-{}"),
    ("kustomize.toolkit.fluxcd.io/prune", "policy-{}"),
    ("client.lifecycle.config.k8s.io/deletion", "policy-{}"),
    ("strategy.spinnaker.io/versioned", "policy-{}"),
    ("wave.pusher.com/update-on-config-change", "true"),
    ("wave.pusher.com/extra-configmaps", "config-{}"),
    ("reloader.stakater.com/auto", "true"),
    ("reloader.stakater.com/search", "true"),
    ("reloader.stakater.com/match", "true"),
    ("configmap.reloader.stakater.com/reload", "config-{}"),
    ("configmaps.exclude.reloader.stakater.com/reload", "config-{}"),
    ("secrets.exclude.reloader.stakater.com/reload", "secret-{}"),
    ("nginx.ingress.kubernetes.io/auth-secret", "shop/secret-{}"),
    ("alb.ingress.kubernetes.io/auth-idp-oidc", '{{"secretName": "secret-{}"}}'),
    ("vault.hashicorp.com/agent-configmap", "config-{}"),
    ("reflector.v1.k8s.emberstack.com/reflects", "shop/config-{}"),
    ("example.com/any", "config-{}"),
)
"""Each annotation that is read, one entry of it, and what is between entries if that is no comma."""

_LABELS = (
    f"{_PREFIX}set",
    f"{_PREFIX}component",
    "app.kubernetes.io/managed-by",
    "heritage",
    "chart",
    "helm.sh/chart",
)
"""Labels that are read."""

SHAPES = (
    Shape("ConfigMaps that are renamed, each with a workload", _plain),
    Shape("namespaces with the same name", _namespaces),
    Shape("namespaces with the same name, read from others", _foreign_namespaces),
    Shape("namespaces with the same name, read from none", _no_namespace),
    Shape("namespaces with the same name, read by cluster-scoped objects", _named_namespaces),
    Shape("subpackages of kpt with the same name", _subpackages),
    Shape("subpackages of kpt in each other with the same name", _nested_subpackages),
    Shape("prefixes of kustomize before the same name", _prefixes),
    Shape("former names, and their referrers", _former_names),
    Shape("former names of what makes a Secret, and their referrers", _former_names_of_a_producer),
    Shape("mounts and workloads", _mounts),
    Shape("mounts of volumes in one workload", _mounts_of_one),
    Shape("mounts of variables in one workload", _variables_of_one),
    Shape("mounts in containers of one workload", _mounts_in_containers),
    Shape("mounts of what does not exist", _mounts_without_source),
    Shape("mounts that match nothing", _mounts_nowhere, least=50),
    Shape(
        "keys of a ConfigMap with a hash-like name, and entries of select", _large_data, least=50
    ),
    Shape("entries of select, and ConfigMaps", _select, least=16),
    Shape("entries of select that match nothing", _select_nothing, least=50),
    Shape("entries of select that match but for a condition", _select_elsewhere, least=50),
    Shape("entries of exclude", _exclude, least=50),
    Shape("other sets", _other_sets),
    Shape("sets that are taken over", _taken_over_sets, least=32),
    Shape("linkers of other sets", _linkers_of_other_sets),
    Shape("misspelled names", _misspelled),
    Shape("references to older revisions", _pins),
    Shape("custom resources with a field that no rule follows", _unfollowed),
    Shape("names in a field that no rule follows", _unfollowed_in_one),
    Shape("names in options", _options),
    Shape("options with the same name", _options_for_one),
    Shape("options with the same name, in namespaces", _options_in_namespaces),
    Shape("options with the same name, in namespaces, selected", _selected_options_in_namespaces),
    Shape("roles for the API", _api_readers),
    Shape("roles for one account, in namespaces", _bindings_of_one),
    Shape("roles that aggregate each other", _aggregated_roles),
    Shape("containers of a workload with a role", _containers_that_may_read),
    Shape("resourceNames of a role", _resource_names, least=24),
    Shape("roles with resourceNames", _roles),
    Shape("rules of one role", _rules),
    Shape("Jobs", _jobs),
    Shape("containers of a workload, each with a reference", _sidecars),
    Shape("references of an object of which others are made", _schedule),
    Shape("referrers of one ConfigMap", _referrers_of_one),
    Shape("references of a workload to one ConfigMap", _references_of_one_to_one),
    Shape("references in data", _embedded),
    Shape("references in the data of one ConfigMap", _embedded_in_one),
    Shape("references in data, one after the other", _embedded_chain),
    Shape("references in data, all in one chain", _one_chain),
    Shape("Secrets", _secrets),
    Shape("Secrets, once more", _secrets, "transform again"),
    Shape("ConfigMaps, once more", _plain, "transform again"),
    Shape("ConfigMaps that were other ones, once more", _plain, "transform edited"),
    Shape("Jobs, once more", _jobs, "transform again"),
    Shape("mounts of volumes in one workload, once more", _mounts_of_one, "transform again"),
    Shape("mounts of variables in one workload, once more", _variables_of_one, "transform again"),
    Shape("mounts and workloads, taken away", _mounts, "transform without configuration"),
    Shape(
        "mounts of volumes in one workload, taken away",
        _mounts_of_one,
        "transform without configuration",
    ),
    Shape("adopted ConfigMaps", _adopt),
    Shape("adopted ConfigMaps, renamed", _adopt, "transform without configuration"),
    Shape("checksums", _checksum),
    Shape("checksums, once more", _checksum, "transform again"),
    Shape("opt-ins to Reloader", _reloader),
    Shape("names in one opt-in to Reloader", _reloader_list),
    Shape("workloads that read too early", _early_readers),
    Shape("duplicates", _duplicates),
    Shape("entries of references", _reference_specs),
    Shape("entries of references without an object", _unused_reference_specs),
    Shape("definitions and custom resources", _definitions),
    Shape("kinds of the linker", _linker_kinds, least=16),
    Shape("kinds of the linker, and objects", _linker_kinds_that_do_not_exist, least=16),
    Shape("Secrets that controllers write", _producers),
    Shape("admission policies", _policies),
    Shape("keys of a ConfigMap", _keys, least=50),
    Shape("keys of a ConfigMap that are no text", _keys_that_are_no_text, least=50),
    Shape("lines of a value", _long_block, least=50),
    Shape("words of a value in one line", _long_line, least=50),
    Shape("parts of a value between colons", _long_path, least=50),
    Shape("words of a value that no rule follows", _long_unfollowed_line, least=50),
    Shape("bytes of a value in Base64", _binary_data, least=50),
    Shape("levels of custom resources", _levels, least=50),
    Shape("levels in data", _levels_in_data, least=30),
    Shape("fields of a definition", _large_definition, least=50),
    Shape("labels and annotations of an object", _labels, least=16),
    Shape("misspelled annotations of ours", _own_annotations),
    Shape("annotations with a strategy", _strategies),
    Shape("objects in files", _files),
    Shape("objects of no interest", _objects_of_no_interest),
    Shape("documents", _plain, "transform documents"),
    Shape("documents, once more", _secrets, "transform documents again"),
    Shape("results of an earlier run", _misspelled, "transform again"),
    Shape("aliases of one object", _plain, "transform aliases"),
    Shape("anchors, each with an alias", _plain, "transform anchors"),
    Shape("objects, verified", _secrets, "verify"),
    Shape("namespaces with the same name, verified", _namespaces, "verify"),
    Shape("objects, compared", _plain, "diff"),
    Shape("namespaces with the same name, compared", _namespaces, "diff"),
    Shape("objects, explained", _plain, "explain"),
    Shape("namespaces with the same name, explained", _namespaces, "explain"),
    Shape("objects, drawn", _plain, "graph"),
    Shape("namespaces with the same name, drawn", _namespaces, "graph"),
    Shape("referrers of one ConfigMap, drawn", _referrers_of_one, "graph"),
)

MARKS = (
    *(
        Shape(f"entries of the annotation {name}", _entries(name, *entry), least=100)
        for name, *entry in _ANNOTATIONS
    ),
    *(
        Shape(f"letters of the label {name}", _entries(name, "a", "", is_label=True), least=100)
        for name in _LABELS
    ),
)
"""The annotations and labels that krm-fn reads: each may hold as much as all else."""
