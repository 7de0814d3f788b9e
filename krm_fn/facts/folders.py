"""Names of folders in repositories of manifests that tell no application from another, one row for each meaning.

Source: the layouts of kubernetes-sigs/kustomize, fluxcd/flux2-kustomize-helm-example, argoproj/argocd-example-apps,
redhat-cop/gitops-catalog, onedr0p/home-ops and others.
"""

STRUCTURE = (
    (
        "app",
        "apps",
        "application",
        "applications",
        "release",
        "releases",
        "service",
        "services",
        "stack",
    ),
    ("stacks", "system", "workload", "workloads"),
    (
        "base",
        "bases",
        "common",
        "component",
        "components",
        "default",
        "main",
        "overlay",
        "overlays",
        "variant",
    ),
    ("variants",),
    (
        "chart",
        "charts",
        "helm",
        "kpt",
        "kustomization",
        "kustomize",
        "package",
        "packages",
        "template",
    ),
    ("templates",),
    (
        "cluster",
        "clusters",
        "env",
        "environment",
        "environments",
        "envs",
        "gitops",
        "infra",
        "infrastructure",
    ),
    ("k8s", "kube", "kubernetes"),
    (
        "config",
        "deploy",
        "deployment",
        "deployments",
        "dist",
        "instance",
        "manifest",
        "manifests",
        "operator",
    ),
    ("operators", "resources", "src"),
)

ENVIRONMENTS = (
    (
        "canary",
        "ci",
        "demo",
        "dev",
        "devel",
        "develop",
        "development",
        "int",
        "integration",
        "lab",
        "local",
    ),
    ("sandbox", "test", "testing"),
    (
        "acc",
        "acceptance",
        "pre",
        "preprod",
        "preview",
        "qa",
        "stage",
        "staging",
        "stg",
        "uat",
        "nonprod",
    ),
    ("dr", "live", "prd", "prod", "production", "stable"),
)

# What is directly below one of these is an environment, whatever its name.
ABOVE_ENVIRONMENTS = (
    ("env", "environment", "environments", "envs", "overlay", "overlays", "variants"),
)
