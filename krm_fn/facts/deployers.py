"""What deployers do with objects: by their names in `spec.deployers`.

The fields are those of `Deployer` in `base/kind.py`.

What each does on prune and on uninstall is in the schema (`spec.deployers`) and in
docs/deployers.md, as read in these functions: Argo CD, `shouldBeDeleted` and its sync-options and
compare-options documentation; Flux, `deleteObjects` of kustomize-controller; cli-utils,
`PreventRemoveFilter`; Helm, `filterManifestsToKeep` and `update` of its Kubernetes client; kapp,
`DeleteOrphanStrategy`.

Hooks, waves and waits: Argo CD's gitops-engine (`sync/hook`, `sync/syncwaves`,
`sync/sync_phase.go`, `health/health.go`) and its `resource_customizations`, Helm's page on chart
hooks. Hooks that are missing have no place in the order of a deployment: they run when something
fails or is deleted, or never.

Field managers, and what each adds to the objects that it applies: Argo CD, `ArgoCDSSAManager` and
its page on tracking; Flux, the names of its controllers and `kustomize/api/v1`; Helm,
`getManagedFieldsManager` and `setMetadataVisitor`; kapp, `LabeledResources`; cli-utils,
`OwningInventoryKey`.

kluctl: `isSkipDelete` and `isManagedByKluctl` of its `delete_utils.go`, `GetHook` of `hooks_util.go`,
`applyDeploymentItem` of `apply_utils.go`, and `ValidateObject`.

What is replaced: Argo CD, `applyObject` of its gitops-engine; Flux, `shouldForceApply` and
`AnyInMetadata` of fluxcd/pkg; kapp, `AddOrUpdateChange`. What is passed over: Flux,
`shouldSkipApply` of fluxcd/pkg; kapp, `ChangeFactory`; kluctl, its page on annotations; Config Sync, `partitionObjs` and
`updateType`; werf, the README of werf/nelm. What checks no MAC of SOPS: see
`core/decide/choose.py`.

Argo CD and Flux compare what is live with what is rendered all the time (`repairs_drift`). Both
build with their own kustomize, without its functions, so that krm-fn runs before them, in a plugin
or in CI.
"""

DEPLOYERS = {
    "argocd": {
        "name": "Argo CD",
        "is_default": True,
        "repairs_drift": True,
        "runs_no_functions": True,
        # Never `Delete=false`: a revision without an owner must still be deleted with its
        # Application.
        "protections": (
            {
                "annotation": "argocd.argoproj.io/sync-options",
                "value": "Prune=false",
                "part_of_list": True,
            },
            {
                "annotation": "argocd.argoproj.io/compare-options",
                "value": "IgnoreExtraneous",
                "part_of_list": True,
                "keeps": False,
            },
        ),
        "managers": ("argocd-controller", "argocd-application-controller"),
        "marks": ("argocd.argoproj.io/installation-id", "app.kubernetes.io/instance"),
        "tracks": ("argocd.argoproj.io/tracking-id",),
        "spares_owned": True,
        "deployment": "sync",
        # Helm's hooks do not count beside its own, and their weight is the wave of an object that
        # has none.
        "hooks": {
            "argocd.argoproj.io/hook": {"PreSync": "BEFORE", "Sync": "MAIN", "PostSync": "AFTER"},
            "helm.sh/hook": {
                "pre-install": "BEFORE",
                "pre-upgrade": "BEFORE",
                "post-install": "AFTER",
                "post-upgrade": "AFTER",
            },
        },
        "recreates_hooks": {
            "argocd.argoproj.io/hook": (
                "argocd.argoproj.io/hook-delete-policy",
                "BeforeHookCreation",
            ),
        },
        "waves": ("argocd.argoproj.io/sync-wave", "helm.sh/hook-weight"),
        "waits_for": (
            "/Pod",
            "apps/Deployment",
            "apps/StatefulSet",
            "apps/DaemonSet",
            "apps/ReplicaSet",
            "batch/Job",
            "argoproj.io/Rollout",
            "argoproj.io/Workflow",
        ),
        "waits_for_others": True,
        # As `kubectl replace --force`, on each sync, whether anything differs or not.
        "passes_over": (
            {
                "annotation": "argocd.argoproj.io/sync-options",
                "says": ("Force=true", "Replace=true"),
                "part_of_list": True,
                "does": "deletes it and creates it again, without its owners",
            },
        ),
        # `Replace=true` alone is a PUT, which the API server refuses as it does a patch. A
        # server-side apply has no force.
        "replaces": (
            {
                "annotation": "argocd.argoproj.io/sync-options",
                "says": ("Force=true", "Replace=true"),
                "part_of_list": True,
            },
            {
                "annotation": "argocd.argoproj.io/sync-options",
                "says": ("Force=true",),
                "lacks": ("ServerSideApply=true",),
                "part_of_list": True,
            },
        ),
    },
    "flux": {
        "name": "Flux",
        "is_default": True,
        "repairs_drift": True,
        "runs_no_functions": True,
        "protections": ({"annotation": "kustomize.toolkit.fluxcd.io/prune", "value": "disabled"},),
        "protections_of_others": (
            {"annotation": "kustomize.toolkit.fluxcd.io/reconcile", "value": "disabled"},
            {"annotation": "kustomize.toolkit.fluxcd.io/ssa", "value": "Ignore"},
        ),
        "managers": ("kustomize-controller", "helm-controller"),
        "tracks": (
            "kustomize.toolkit.fluxcd.io/namespace",
            "kustomize.toolkit.fluxcd.io/name",
            "helm.toolkit.fluxcd.io/namespace",
            "helm.toolkit.fluxcd.io/name",
        ),
        "reads_labels": True,
        "replaces": (
            {
                "annotation": "kustomize.toolkit.fluxcd.io/force",
                "says": ("enabled",),
                "in_any_case": True,
            },
        ),
        "passes_over": (
            {
                "annotation": "kustomize.toolkit.fluxcd.io/reconcile",
                "says": ("disabled",),
                "in_any_case": True,
            },
            {
                "annotation": "kustomize.toolkit.fluxcd.io/ssa",
                "says": ("Ignore",),
                "in_any_case": True,
            },
            {
                "annotation": "kustomize.toolkit.fluxcd.io/ssa",
                "says": ("IfNotPresent",),
                "in_any_case": True,
            },
        ),
        "decrypts": True,
        # It runs kustomize, which writes these words with quotes.
        "keeps_boolean_words": True,
    },
    "kpt": {
        "name": "kpt",
        "is_default": True,
        "protections": (
            {"annotation": "client.lifecycle.config.k8s.io/deletion", "value": "detach"},
        ),
        "protections_of_others": (
            {"annotation": "cli-utils.sigs.k8s.io/on-remove", "value": "keep"},
        ),
        "managers": ("kpt",),
        "tracks": ("config.k8s.io/owning-inventory",),
        "keeps_boolean_words": True,
    },
    "helm": {
        "name": "Helm",
        "protections": ({"annotation": "helm.sh/resource-policy", "value": "keep"},),
        # Of werf, which deploys as Helm does.
        "protections_of_others": (
            {"annotation": "werf.io/resource-policy", "value": "skip-delete", "part_of_list": True},
            {"annotation": "werf.io/resource-policy", "value": "keep", "part_of_list": True},
            {"annotation": "werf.io/ownership", "value": "anyone"},
        ),
        "managers": ("helm",),
        "marks": ("app.kubernetes.io/managed-by",),
        "tracks": ("meta.helm.sh/release-namespace", "meta.helm.sh/release-name"),
        "deployment": "release",
        # No `pre-rollback`: what it reads is of an earlier release, and was kept.
        "hooks": {
            "helm.sh/hook": {
                "pre-install": "BEFORE",
                "pre-upgrade": "BEFORE",
                "post-install": "AFTER",
                "post-upgrade": "AFTER",
            },
        },
        "recreates_hooks": {
            "helm.sh/hook": ("helm.sh/hook-delete-policy", "before-hook-creation"),
        },
        "waits_for": ("/Pod", "batch/Job"),
    },
    "kapp": {
        "name": "kapp",
        "protections": ({"annotation": "kapp.k14s.io/delete-strategy", "value": "orphan"},),
        "managers": ("kapp",),
        "marks": (
            "kapp.k14s.io/association",
            "kapp.k14s.io/identity",
            "kapp.k14s.io/original",
            "kapp.k14s.io/original-diff-md5",
        ),
        "tracks": ("kapp.k14s.io/app",),
        "replaces": (
            {"annotation": "kapp.k14s.io/update-strategy", "says": ("fallback-on-replace",)},
            {"annotation": "kapp.k14s.io/update-strategy", "says": ("always-replace",)},
        ),
        "passes_over": ({"annotation": "kapp.k14s.io/noop"}, {"annotation": "kapp.k14s.io/exists"}),
    },
    # It prunes nothing, but renames objects: see `keep_name`.
    "spinnaker": {"name": "Spinnaker"},
    "kluctl": {
        "name": "kluctl",
        "runs_no_functions": True,
        "protections": ({"annotation": "kluctl.io/skip-delete", "value": "true"},),
        "protections_of_others": ({"annotation": "helm.sh/resource-policy", "value": "keep"},),
        "managers": ("kluctl",),
        "marks": ("kluctl.io/deployment-item-dir",),
        "tracks": ("kluctl.io/discriminator",),
        "spares_owned": True,
        "deployment": "deployment",
        "hooks": {
            "kluctl.io/hook": {
                "pre-deploy": "BEFORE",
                "pre-deploy-initial": "BEFORE",
                "pre-deploy-upgrade": "BEFORE",
                "post-deploy": "AFTER",
                "post-deploy-initial": "AFTER",
                "post-deploy-upgrade": "AFTER",
            },
            "helm.sh/hook": {
                "pre-install": "BEFORE",
                "pre-upgrade": "BEFORE",
                "post-install": "AFTER",
                "post-upgrade": "AFTER",
            },
        },
        "recreates_hooks": {
            "kluctl.io/hook": ("kluctl.io/hook-delete-policy", "before-hook-creation"),
        },
        # Hooks that it waits for are ready, which these are once they run or end.
        "waits_for": (
            "/Pod",
            "apps/Deployment",
            "apps/StatefulSet",
            "apps/DaemonSet",
            "batch/Job",
        ),
        "passes_over": (
            {"annotation": "kluctl.io/ignore", "says": ("true",), "in_any_case": True},
            {"annotation": "kluctl.io/delete", "says": ("true",), "in_any_case": True},
        ),
    },
}

# Programs that are no value of `spec.deployers`. An annotation that they alone read shows who applies an object.
OTHERS = (
    {
        "name": "Config Sync",
        "passes_over": (
            {"annotation": "configmanagement.gke.io/managed", "says": ("disabled",)},
            {"annotation": "client.lifecycle.config.k8s.io/mutation", "says": ("ignore",)},
        ),
    },
    {
        "name": "werf",
        "passes_over": (
            {
                "annotation": "werf.io/delete-policy",
                "says": ("before-creation",),
                "part_of_list": True,
                "does": "deletes it and creates it again, without its owners",
            },
            {
                "annotation": "werf.io/resource-policy",
                "says": ("skip-create",),
                "part_of_list": True,
            },
        ),
    },
)
