"""Kinds of Kubernetes and its extensions, where a name does not say everything of them.

Scope, plural and version come from the API reference and from each project's CRDs.

CONSUMERS: kinds at whose objects the linker always looks, so that each Role names them. The fields
are those of `Kind` in `base/kind.py`. MAKES: of a custom kind, the custom kinds whose objects begin
with a copy of what it says, and keep that: they may need a revision without a pod. MAKES_NONE:
groups of kinds of which no controller makes such objects. SHORT_NAMES: what kubectl calls some of them for short. CLUSTER_SCOPED: other kinds
without a namespace. HOLDS: what keeps pods from another template. EFFECTS: what one does instead of
a rollout. REFUSING: what webhooks let nobody change. RUNS: what runs to an end. PLURALS: plurals that the rules
of English do not give, by group and kind; of any group, if that is empty. BUILT_IN: the groups of
Kubernetes' own API server. It has types for their kinds; of others it stores what is written.
HASH_LABELS: labels by controllers on what they make of a template and on its pods; a Rollout uses
the second one. AUTHORS_METADATA, SERVER_METADATA: the fields of all objects, as authors and as the
API server write them (k8s.io/apimachinery, pkg/apis/meta/v1/types.go).
"""

# Of a workload that sets none: Kubernetes and Argo Rollouts have the same default.
REVISION_HISTORY_LIMIT = 10

# `keeps`: the fields of a spec that limit what its controller keeps of earlier templates, with their
# defaults (kubernetes: SetDefaults_CronJob in pkg/apis/batch/v1/defaults.go).
CONSUMERS = (
    {
        "api_version": "v1",
        "kind": "Pod",
        "plural": "pods",
        "is_current": False,
        "is_immutable": True,
        "pod_spec": "spec",
        "expects_pods": True,
    },
    {
        "api_version": "v1",
        "kind": "ReplicationController",
        "plural": "replicationcontrollers",
        "controls_pods": True,
        "keeps_pods": True,
        "pod_spec": "spec.template.spec",
        "on_change": "new-pods",
        "expects_pods": True,
    },
    {
        "api_version": "apps/v1",
        "kind": "Deployment",
        "plural": "deployments",
        "pod_spec": "spec.template.spec",
        "history": "ReplicaSet",
        "keeps": (("revisionHistoryLimit", 10),),
        "rolled_by": ("wave", "reloader"),
        "progress": "replicas",
        "undo": "kubectl rollout undo deployment/{name} --to-revision={number}",
    },
    {
        "api_version": "apps/v1",
        "kind": "StatefulSet",
        "plural": "statefulsets",
        "controls_pods": True,
        "pod_spec": "spec.template.spec",
        "history": "ControllerRevision",
        "keeps": (("revisionHistoryLimit", 10),),
        "rolled_by": ("wave", "reloader"),
        "progress": "revisions",
        "undo": "kubectl rollout undo statefulset/{name} --to-revision={number}",
    },
    {
        "api_version": "apps/v1",
        "kind": "DaemonSet",
        "plural": "daemonsets",
        "controls_pods": True,
        "pod_spec": "spec.template.spec",
        "history": "ControllerRevision",
        "keeps": (("revisionHistoryLimit", 10),),
        "rolled_by": ("wave", "reloader"),
        "progress": "scheduled",
        "undo": "kubectl rollout undo daemonset/{name} --to-revision={number}",
    },
    {
        "api_version": "apps/v1",
        "kind": "ReplicaSet",
        "plural": "replicasets",
        "is_current": False,
        "controls_pods": True,
        "keeps_pods": True,
        "pod_spec": "spec.template.spec",
        "template_copy": "spec.template.spec",
        "on_change": "new-pods",
        "expects_pods": True,
    },
    {
        "api_version": "apps/v1",
        "kind": "ControllerRevision",
        "plural": "controllerrevisions",
        "is_current": False,
        "template_copy": "data.spec.template.spec",
        "expects_pods": True,
    },
    {
        "api_version": "batch/v1",
        "kind": "CronJob",
        "plural": "cronjobs",
        "pod_spec": "spec.jobTemplate.spec.template.spec",
        "keeps": (("successfulJobsHistoryLimit", 3), ("failedJobsHistoryLimit", 1)),
        "rolled_by": ("reloader",),
        "on_change": "next-run",
    },
    {
        "api_version": "batch/v1",
        "kind": "Job",
        "plural": "jobs",
        "is_current": False,
        "controls_pods": True,
        "is_immutable": True,
        "pod_spec": "spec.template.spec",
        "rolled_by": ("reloader",),
        "expects_pods": True,
    },
    {
        "api_version": "argoproj.io/v1alpha1",
        "kind": "Rollout",
        "plural": "rollouts",
        "pod_spec": "spec.template.spec",
        "history": "ReplicaSet",
        "keeps": (("revisionHistoryLimit", 10),),
        "rolled_by": ("reloader",),
        "progress": "hashes",
        "undo": "kubectl argo rollouts undo {name} --to-revision={number}",
        "abort": "kubectl argo rollouts abort {name}",
    },
    {
        "api_version": "argoproj.io/v1alpha1",
        "kind": "AnalysisTemplate",
        "plural": "analysistemplates",
    },
    {
        "api_version": "argoproj.io/v1alpha1",
        "kind": "AnalysisRun",
        "plural": "analysisruns",
        "is_current": False,
    },
    {
        "api_version": "argoproj.io/v1alpha1",
        "kind": "Experiment",
        "plural": "experiments",
        "is_current": False,
    },
)

# Group, its kinds, the kinds that begin with a copy of them, and where that is written. A kind that
# is updated with its parent keeps no earlier copy.
MAKES = (
    (
        "actions.github.com",
        "EphemeralRunnerSet",
        ("actions.github.com/v1alpha1/EphemeralRunner",),
        (
            "actions/actions-runner-controller: controllers/actions.github.com/resourcebuilder.go "
            "(newEphemeralRunner; copy in spec)"
        ),
    ),
    (
        "actions.github.com",
        "AutoscalingRunnerSet",
        (
            "actions.github.com/v1alpha1/EphemeralRunnerSet",
            "actions.github.com/v1alpha1/EphemeralRunner",
        ),
        (
            "actions/actions-runner-controller: controllers/actions.github.com/resourcebuilder.go "
            "(newEphemeralRunnerSet, newAutoscalingListener; copy in spec; the listener lies in the "
            "controller's namespace)"
        ),
    ),
    (
        "actions.summerwind.dev",
        "RunnerReplicaSet",
        ("actions.summerwind.dev/v1alpha1/Runner",),
        (
            "actions/actions-runner-controller: "
            "controllers/actions.summerwind.net/runnerreplicaset_controller.go (newRunner; copy in "
            "spec)"
        ),
    ),
    (
        "actions.summerwind.dev",
        "RunnerDeployment",
        (
            "actions.summerwind.dev/v1alpha1/RunnerReplicaSet",
            "actions.summerwind.dev/v1alpha1/Runner",
        ),
        (
            "actions/actions-runner-controller: "
            "controllers/actions.summerwind.net/runnerdeployment_controller.go (newRunnerReplicaSet; "
            "copy in spec.template)"
        ),
    ),
    (
        "agones.dev",
        "GameServerSet",
        ("agones.dev/v1/GameServer",),
        "googleforgames/agones: pkg/apis/agones/v1/gameserverset.go (GameServer; copy in spec)",
    ),
    (
        "agones.dev",
        "Fleet",
        (
            "agones.dev/v1/GameServerSet",
            "agones.dev/v1/GameServer",
        ),
        "googleforgames/agones: pkg/apis/agones/v1/fleet.go (GameServerSet; copy in spec.template)",
    ),
    (
        "amd.com",
        "DeviceConfig",
        ("argoproj.io/v1alpha1/Workflow",),
        "ROCm/gpu-operator: internal/controllers/remediation_handler.go (pull Secrets, a parameter)",
    ),
    (
        "apps.kruise.io",
        "AdvancedCronJob",
        ("apps.kruise.io/v1beta1/BroadcastJob",),
        (
            "openkruise/kruise: "
            "pkg/controller/advancedcronjob/advancedcronjob_{broadcastjob,imagelistpulljob}_controller.go"
            " (copy in spec)"
        ),
    ),
    (
        "apps.kruise.io",
        "UnitedDeployment",
        (
            "apps.kruise.io/v1beta1/CloneSet",
            "apps.kruise.io/v1beta1/StatefulSet",
        ),
        (
            "openkruise/kruise: "
            "pkg/controller/uniteddeployment/adapter/{cloneset,advanced_statefulset}_adapter.go (copy"
            " in spec; also apps/v1 StatefulSet, Deployment)"
        ),
    ),
    (
        "apps.kubeblocks.io",
        "Cluster ComponentDefinition",
        ("apps.kubeblocks.io/v1/Component",),
        (
            "apecloud/kubeblocks: pkg/controller/component/component.go (BuildComponent), "
            "pkg/controller/component/workload.go (BuildInstanceSet; copy in spec)"
        ),
    ),
    (
        "apps.nvidia.com",
        "NIMPipeline",
        ("apps.nvidia.com/v1alpha1/NIMService",),
        "NVIDIA/k8s-nim-operator: internal/controller/nimpipeline_controller.go (copy in spec)",
    ),
    (
        "argoproj.io",
        "CronWorkflow WorkflowTemplate ClusterWorkflowTemplate WorkflowEventBinding Workflow Sensor",
        ("argoproj.io/v1alpha1/Workflow",),
        (
            "argo-workflows: workflow/common/convert.go (ConvertCronWorkflowToWorkflowWithProperties;"
            " copy in spec; with a workflowTemplateRef in status too)"
        ),
    ),
    (
        "batch.volcano.sh",
        "CronJob",
        ("batch.volcano.sh/v1alpha1/Job",),
        "volcano-sh/volcano: pkg/controllers/cronjob/cronjob_controller_util.go (copy in spec)",
    ),
    (
        "bootstrap.cluster.x-k8s.io",
        "KubeadmConfigTemplate",
        (
            "bootstrap.cluster.x-k8s.io/v1beta2/KubeadmConfig",
            "bootstrap.cluster.x-k8s.io/v1beta2/KubeadmConfigTemplate",
        ),
        (
            "kubernetes-sigs/cluster-api: controllers/external/util.go (CreateFromTemplate, "
            "GenerateTemplate; copy in spec)"
        ),
    ),
    (
        "build.openshift.io",
        "BuildConfig",
        ("build.openshift.io/v1/Build",),
        (
            "openshift/openshift-apiserver: pkg/build/apiserver/buildgenerator/generator.go "
            "(generateBuildFromConfig; copy in spec)"
        ),
    ),
    (
        "cdi.kubevirt.io",
        "DataImportCron",
        ("cdi.kubevirt.io/v1beta1/DataVolume",),
        (
            "kubevirt/containerized-data-importer: pkg/controller/dataimportcron-controller.go "
            "(newSourceDataVolume; copy in spec)"
        ),
    ),
    (
        "cert-manager.io",
        "Issuer",
        ("acme.cert-manager.io/v1/Challenge",),
        (
            "cert-manager/cert-manager: pkg/controller/acmeorders/util.go "
            "(partialChallengeSpecForAuthorization; spec.solver is a copy of the issuer's solver)"
        ),
    ),
    (
        "clickhouse.altinity.com",
        "ClickHouseInstallationTemplate ClickHouseInstallation",
        ("clickhouse.altinity.com/v1/ClickHouseInstallation",),
        (
            "Altinity/clickhouse-operator: pkg/apis/clickhouse.altinity.com/v1/type_status.go (the "
            "normalized installation with its templates: status.normalized, "
            "status.normalizedCompleted (status))"
        ),
    ),
    (
        "cluster.x-k8s.io",
        "MachineSet",
        ("cluster.x-k8s.io/v1beta2/Machine",),
        (
            "kubernetes-sigs/cluster-api: core/reconcilers/machineset/machineset_controller.go "
            "(computeDesiredMachine; spec.bootstrap.dataSecretName)"
        ),
    ),
    (
        "cluster.x-k8s.io",
        "MachineDeployment",
        (
            "cluster.x-k8s.io/v1beta2/MachineSet",
            "cluster.x-k8s.io/v1beta2/Machine",
        ),
        (
            "kubernetes-sigs/cluster-api: "
            "core/reconcilers/machinedeployment/machinedeployment_rollout_planner.go "
            "(computeDesiredMS; spec.template.spec.bootstrap.dataSecretName)"
        ),
    ),
    (
        "controlplane.cluster.x-k8s.io",
        "KubeadmControlPlane",
        (
            "bootstrap.cluster.x-k8s.io/v1beta2/KubeadmConfig",
            "cluster.x-k8s.io/v1beta2/Machine",
        ),
        (
            "kubernetes-sigs/cluster-api: controlplane/kubeadm/pkg/desiredstate/desired_state.go "
            "(copy in spec)"
        ),
    ),
    (
        "controlplane.cluster.x-k8s.io",
        "KubeadmControlPlaneTemplate",
        (
            "controlplane.cluster.x-k8s.io/v1beta2/KubeadmControlPlane",
            "bootstrap.cluster.x-k8s.io/v1beta2/KubeadmConfig",
        ),
        (
            "kubernetes-sigs/cluster-api: controllers/external/util.go (GenerateTemplate; copy in "
            "spec)"
        ),
    ),
    (
        "core.oam.dev",
        "Application",
        ("core.oam.dev/v1beta1/ApplicationRevision",),
        (
            "kubevela/kubevela: pkg/controller/core.oam.dev/v1beta1/application/revision.go "
            "(ApplicationRevision; copy in spec.application)"
        ),
    ),
    (
        "core.pingcap.com",
        "DMGroup",
        ("core.pingcap.com/v1alpha1/DM",),
        (
            "pingcap/tidb-operator: pkg/controllers/dmgroup/tasks/updater.go (the template's spec is "
            "copied to spec)"
        ),
    ),
    (
        "core.pingcap.com",
        "DMWorkerGroup",
        ("core.pingcap.com/v1alpha1/DMWorker",),
        (
            "pingcap/tidb-operator: pkg/controllers/dmworkergroup/tasks/updater.go (the template's "
            "spec is copied to spec)"
        ),
    ),
    (
        "core.pingcap.com",
        "PDGroup",
        ("core.pingcap.com/v1alpha1/PD",),
        (
            "pingcap/tidb-operator: pkg/controllers/pdgroup/tasks/updater.go (the template's spec is "
            "copied to spec)"
        ),
    ),
    (
        "core.pingcap.com",
        "ResourceManagerGroup",
        ("core.pingcap.com/v1alpha1/ResourceManager",),
        (
            "pingcap/tidb-operator: pkg/controllers/resourcemanagergroup/tasks/updater.go (the "
            "template's spec is copied to spec)"
        ),
    ),
    (
        "core.pingcap.com",
        "RouterGroup",
        ("core.pingcap.com/v1alpha1/Router",),
        (
            "pingcap/tidb-operator: pkg/controllers/routergroup/tasks/updater.go (the template's spec"
            " is copied to spec)"
        ),
    ),
    (
        "core.pingcap.com",
        "SchedulerGroup",
        ("core.pingcap.com/v1alpha1/Scheduler",),
        (
            "pingcap/tidb-operator: pkg/controllers/schedulergroup/tasks/updater.go (the template's "
            "spec is copied to spec)"
        ),
    ),
    (
        "core.pingcap.com",
        "SchedulingGroup",
        ("core.pingcap.com/v1alpha1/Scheduling",),
        (
            "pingcap/tidb-operator: pkg/controllers/schedulinggroup/tasks/updater.go (the template's "
            "spec is copied to spec)"
        ),
    ),
    (
        "core.pingcap.com",
        "TSOGroup",
        ("core.pingcap.com/v1alpha1/TSO",),
        (
            "pingcap/tidb-operator: pkg/controllers/tsogroup/tasks/updater.go (the template's spec is"
            " copied to spec)"
        ),
    ),
    (
        "core.pingcap.com",
        "TiCDCGroup",
        ("core.pingcap.com/v1alpha1/TiCDC",),
        (
            "pingcap/tidb-operator: pkg/controllers/ticdcgroup/tasks/updater.go (the template's spec "
            "is copied to spec)"
        ),
    ),
    (
        "core.pingcap.com",
        "TiDBGroup",
        ("core.pingcap.com/v1alpha1/TiDB",),
        (
            "pingcap/tidb-operator: pkg/controllers/tidbgroup/tasks/updater.go (the template's spec "
            "is copied to spec)"
        ),
    ),
    (
        "core.pingcap.com",
        "TiFlashGroup",
        ("core.pingcap.com/v1alpha1/TiFlash",),
        (
            "pingcap/tidb-operator: pkg/controllers/tiflashgroup/tasks/updater.go (the template's "
            "spec is copied to spec)"
        ),
    ),
    (
        "core.pingcap.com",
        "TiKVGroup",
        ("core.pingcap.com/v1alpha1/TiKV",),
        (
            "pingcap/tidb-operator: pkg/controllers/tikvgroup/tasks/updater.go (the template's spec "
            "is copied to spec)"
        ),
    ),
    (
        "core.pingcap.com",
        "TiKVWorkerGroup",
        ("core.pingcap.com/v1alpha1/TiKVWorker",),
        (
            "pingcap/tidb-operator: pkg/controllers/tikvworkergroup/tasks/updater.go (the template's "
            "spec is copied to spec)"
        ),
    ),
    (
        "core.pingcap.com",
        "TiProxyGroup",
        ("core.pingcap.com/v1alpha1/TiProxy",),
        (
            "pingcap/tidb-operator: pkg/controllers/tiproxygroup/tasks/updater.go (the template's "
            "spec is copied to spec)"
        ),
    ),
    (
        "disaggregatedset.x-k8s.io",
        "DisaggregatedSet",
        ("leaderworkerset.x-k8s.io/v1/LeaderWorkerSet",),
        (
            "kubernetes-sigs/lws: pkg/controllers/disaggregatedset/lws_manager.go (Create; copy in "
            "spec)"
        ),
    ),
    (
        "extensions.agents.x-k8s.io",
        "SandboxClaim SandboxTemplate SandboxWarmPool",
        ("agents.x-k8s.io/v1beta1/Sandbox",),
        (
            "kubernetes-sigs/agent-sandbox: extensions/controllers/sandboxclaim_controller.go "
            "(createSandbox; copy in spec)"
        ),
    ),
    (
        "flink.apache.org",
        "FlinkBlueGreenDeployment FlinkDeployment",
        ("flink.apache.org/v1beta1/FlinkDeployment",),
        (
            "apache/flink-kubernetes-operator: "
            "flink-kubernetes-operator/.../utils/bluegreen/BlueGreenUtils.java "
            "(prepareFlinkDeployment; copy in spec; FlinkDeployment keeps JSON texts of earlier specs"
            " in status.reconciliationStatus too)"
        ),
    ),
    (
        "flow.volcano.sh",
        "JobTemplate JobFlow",
        ("batch.volcano.sh/v1alpha1/Job",),
        (
            "volcano-sh/volcano: pkg/controllers/jobflow/jobflow_controller_action.go "
            "(loadJobTemplateAndSetJob; copy in spec)"
        ),
    ),
    (
        "game.kruise.io",
        "GameServerSet",
        (
            "apps.kruise.io/v1beta1/StatefulSet",
            "game.kruise.io/v1alpha1/GameServer",
        ),
        (
            "openkruise/kruise-game: pkg/controllers/gameserverset/gameserverset_controller.go (copy "
            "in spec.template)"
        ),
    ),
    (
        "generators.external-secrets.io",
        "ACRAccessToken BeyondtrustWorkloadCredentialsDynamicSecret CloudsmithAccessToken ClusterGenerator ECRAuthorizationToken Fake GCRAccessToken GithubAccessToken GitlabDeployToken Grafana MFA Password QuayAccessToken SSHKey STSSessionToken UUID VaultDynamicSecret Webhook",
        ("generators.external-secrets.io/v1alpha1/GeneratorState",),
        (
            "external-secrets/external-secrets: runtime/statemanager/statemanager.go (spec.resource "
            "is a copy of the generator)"
        ),
    ),
    (
        "grove.io",
        "PodCliqueScalingGroup",
        ("grove.io/v1alpha1/PodClique",),
        (
            "ai-dynamo/grove: "
            "operator/internal/controller/podcliquescalinggroup/components/podclique/podclique.go "
            "(copy in spec)"
        ),
    ),
    (
        "grove.io",
        "PodCliqueSet",
        (
            "grove.io/v1alpha1/PodClique",
            "grove.io/v1alpha1/PodCliqueScalingGroup",
        ),
        (
            "ai-dynamo/grove: "
            "operator/internal/controller/podcliqueset/components/podclique/podclique.go (pclq.Spec ="
            " template; copy in spec)"
        ),
    ),
    (
        "k8up.io",
        "Schedule",
        (
            "k8up.io/v1/Backup",
            "k8up.io/v1/Archive",
            "k8up.io/v1/Check",
            "k8up.io/v1/Prune",
            "k8up.io/v1/Restore",
        ),
        (
            "k8up-io/k8up: operator/schedulecontroller/handler.go (createJobList, "
            "mergeBackendWithDefaults; copy in spec.backend)"
        ),
    ),
    (
        "kafka.strimzi.io",
        "Kafka KafkaNodePool KafkaConnect KafkaMirrorMaker2",
        ("core.strimzi.io/v1/StrimziPodSet",),
        (
            "strimzi/strimzi-kafka-operator: "
            "cluster-operator/src/main/java/io/strimzi/operator/cluster/model/WorkloadUtils.java "
            "(createPodSet; whole pods in spec.pods[])"
        ),
    ),
    (
        "kargo.akuity.io",
        "Stage",
        ("kargo.akuity.io/v1alpha1/Promotion",),
        (
            "akuity/kargo: pkg/api/promotion.go (NewMinimalPromotion; the webhook copies the steps to"
            " spec.steps; they name ConfigMaps in expressions only)"
        ),
    ),
    (
        "kubeflow.org",
        "ScheduledWorkflow",
        ("argoproj.io/v1alpha1/Workflow",),
        (
            "kubeflow/pipelines: "
            "backend/src/crd/controller/scheduledworkflow/util/scheduled_workflow.go (NewWorkflow; "
            "copy in spec)"
        ),
    ),
    (
        "kubeflow.org",
        "Experiment",
        ("kubeflow.org/v1beta1/Trial",),
        (
            "kubeflow/katib: pkg/controller.v1beta1/experiment/experiment_controller_util.go "
            "(trial.Spec.RunSpec; copy in spec.runSpec, a whole object of any kind)"
        ),
    ),
    (
        "kubevirt.io",
        "VirtualMachineInstanceReplicaSet",
        ("kubevirt.io/v1/VirtualMachineInstance",),
        (
            "kubevirt/kubevirt: pkg/virt-controller/watch/replicaset/replicaset.go (vmi.Spec = "
            "rs.Spec.Template.Spec)"
        ),
    ),
    (
        "kubevirt.io",
        "VirtualMachine",
        (
            "kubevirt.io/v1/VirtualMachineInstance",
            "cdi.kubevirt.io/v1beta1/DataVolume",
        ),
        (
            "kubevirt/kubevirt: pkg/virt-controller/watch/vm/vm.go (SetupVMIFromVM, "
            "createVMRevision), pkg/virt-controller/watch/util/util.go (CreateDataVolumeManifest), "
            "pkg/storage/snapshot/snapshot.go (spec.source.virtualMachine)"
        ),
    ),
    (
        "litmuschaos.io",
        "ChaosSchedule",
        ("litmuschaos.io/v1alpha1/ChaosEngine",),
        (
            "litmuschaos/chaos-scheduler: controllers/schedule.go (engine.Spec = EngineTemplateSpec; "
            "copy in spec)"
        ),
    ),
    (
        "medusa.k8ssandra.io",
        "MedusaBackupSchedule",
        (
            "medusa.k8ssandra.io/v1alpha1/MedusaBackupJob",
            "medusa.k8ssandra.io/v1alpha1/MedusaTask",
        ),
        (
            "k8ssandra/k8ssandra-operator: controllers/medusa/medusabackupschedule_controller.go "
            "(copy in spec)"
        ),
    ),
    (
        "numaflow.numaproj.io",
        "ServingPipeline",
        (
            "numaflow.numaproj.io/v1alpha1/Pipeline",
            "numaflow.numaproj.io/v1alpha1/Vertex",
        ),
        (
            "numaproj/numaflow: pkg/apis/numaflow/v1alpha1/serving_pipeline_types.go (copy of "
            "spec.pipeline in spec)"
        ),
    ),
    (
        "numaflow.numaproj.io",
        "Pipeline",
        ("numaflow.numaproj.io/v1alpha1/Vertex",),
        "numaproj/numaflow: pkg/reconciler/pipeline/controller.go (buildVertices; copy in spec)",
    ),
    (
        "orchestration.aibrix.ai",
        "RoleSet",
        ("orchestration.aibrix.ai/v1alpha1/PodSet",),
        "vllm-project/aibrix: pkg/controller/roleset/podset_rollsyncer.go (copy in spec)",
    ),
    (
        "orchestration.aibrix.ai",
        "RayClusterFleet",
        (
            "orchestration.aibrix.ai/v1alpha1/RayClusterReplicaSet",
            "ray.io/v1/RayCluster",
        ),
        (
            "vllm-project/aibrix: pkg/controller/rayclusterfleet/sync.go, "
            "pkg/controller/rayclusterreplicaset/rayclusterreplicaset_utils.go (copy in spec)"
        ),
    ),
    (
        "orchestration.aibrix.ai",
        "StormService",
        (
            "orchestration.aibrix.ai/v1alpha1/RoleSet",
            "orchestration.aibrix.ai/v1alpha1/PodSet",
        ),
        (
            "vllm-project/aibrix: pkg/controller/stormservice/rolesetoperations.go, "
            "pkg/controller/roleset/podset_rollsyncer.go (copy in spec)"
        ),
    ),
    (
        "orchestration.aibrix.ai",
        "RayClusterReplicaSet",
        ("ray.io/v1/RayCluster",),
        (
            "vllm-project/aibrix: pkg/controller/rayclusterreplicaset/rayclusterreplicaset_utils.go "
            "(copy in spec)"
        ),
    ),
    (
        "piraeus.io",
        "LinstorCluster LinstorSatelliteConfiguration",
        ("piraeus.io/v1/LinstorSatellite",),
        (
            "piraeusdatastore/piraeus-operator: internal/controller/linstorcluster_controller.go "
            "(kustomizeLinstorSatellite; copy in spec)"
        ),
    ),
    (
        "pool.kubevirt.io",
        "VirtualMachinePool",
        (
            "kubevirt.io/v1/VirtualMachine",
            "kubevirt.io/v1/VirtualMachineInstance",
            "cdi.kubevirt.io/v1beta1/DataVolume",
        ),
        (
            "kubevirt/kubevirt: pkg/virt-controller/watch/pool/pool.go (scaleOut, indexVMSpec; copy "
            "in spec; and in a ControllerRevision)"
        ),
    ),
    (
        "psmdb.percona.com",
        "PerconaServerMongoDB",
        ("psmdb.percona.com/v1/PerconaServerMongoDBBackup",),
        (
            "percona/percona-server-mongodb-operator: pkg/psmdb/backup/job.go; "
            "pkg/apis/psmdb/v1/perconaservermongodbbackup_types.go (status.s3.credentialsSecret "
            "(status))"
        ),
    ),
    (
        "pxc.percona.com",
        "PerconaXtraDBCluster",
        ("pxc.percona.com/v1/PerconaXtraDBClusterBackup",),
        (
            "percona/percona-xtradb-cluster-operator: pkg/controller/pxc/backup.go; "
            "pkg/apis/pxc/v1/pxc_backup_types.go (status.s3.credentialsSecret (status))"
        ),
    ),
    (
        "ray.io",
        "RayService RayJob",
        ("ray.io/v1/RayCluster",),
        (
            "ray-project/kuberay: ray-operator/controllers/ray/rayservice_controller.go "
            "(constructRayClusterForRayService; copy in spec)"
        ),
    ),
    (
        "ray.io",
        "RayCronJob",
        (
            "ray.io/v1/RayJob",
            "ray.io/v1/RayCluster",
        ),
        (
            "ray-project/kuberay: ray-operator/controllers/ray/raycronjob_controller.go "
            "(constructRayJob; copy in spec)"
        ),
    ),
    (
        "shipwright.io",
        "Build BuildStrategy ClusterBuildStrategy",
        (
            "shipwright.io/v1beta1/BuildRun",
            "tekton.dev/v1/TaskRun",
            "tekton.dev/v1/PipelineRun",
        ),
        (
            "shipwright-io/build: pkg/reconciler/buildrun/buildrun.go (buildRun.Status.BuildSpec: "
            "status.buildSpec (status)); pkg/reconciler/buildrun/resources/taskrun.go "
            "(GenerateTaskRun: spec.taskSpec)"
        ),
    ),
    (
        "shipwright.io",
        "BuildRun",
        (
            "tekton.dev/v1/TaskRun",
            "tekton.dev/v1/PipelineRun",
        ),
        (
            "shipwright-io/build: pkg/reconciler/buildrun/resources/{taskrun,pipelinerun}.go "
            "(GenerateTaskRun, GeneratePipelineRun; copy in spec)"
        ),
    ),
    (
        "sparkoperator.k8s.io",
        "ScheduledSparkApplication",
        ("sparkoperator.k8s.io/v1beta2/SparkApplication",),
        (
            "kubeflow/spark-operator: internal/controller/scheduledsparkapplication/controller.go "
            "(createSparkApplication; copy in spec)"
        ),
    ),
    (
        "tekton.dev",
        "Pipeline PipelineRun",
        (
            "tekton.dev/v1/PipelineRun",
            "tekton.dev/v1/TaskRun",
        ),
        (
            "tektoncd/pipeline: pkg/reconciler/pipelinerun/pipelinerun.go "
            "(storePipelineSpecAndMergeMeta: PipelineRun keeps it in status.pipelineSpec (status); "
            "createTaskRun, createCustomRun: spec.taskSpec, spec.customSpec)"
        ),
    ),
    (
        "tekton.dev",
        "Task ClusterTask StepAction",
        ("tekton.dev/v1/TaskRun",),
        (
            "tektoncd/pipeline: pkg/reconciler/taskrun/taskrun.go (storeTaskSpecAndMergeMeta: "
            "status.taskSpec (status))"
        ),
    ),
    (
        "testworkflows.testkube.io",
        "TestWorkflow TestWorkflowTemplate",
        ("testworkflows.testkube.io/v1/TestWorkflowExecution",),
        (
            "kubeshop/testkube: api/testworkflows/v1/testworkflowexecution_types.go "
            "(resolvedWorkflow: status.latestExecution.resolvedWorkflow (status))"
        ),
    ),
    (
        "trainer.kubeflow.org",
        "TrainJob",
        ("jobset.x-k8s.io/v1alpha2/JobSet",),
        (
            "kubeflow/trainer: pkg/runtime/framework/plugins/jobset/jobset.go (Build; copy in spec); "
            "pkg/runtime/core/snapshot.go (the runtime is copied to ConfigMap NAME-runtime-snapshot, "
            "as text)"
        ),
    ),
    (
        "trainer.kubeflow.org",
        "TrainingRuntime ClusterTrainingRuntime OptimizationJob",
        (
            "trainer.kubeflow.org/v1alpha1/TrainJob",
            "jobset.x-k8s.io/v1alpha2/JobSet",
        ),
        (
            "kubeflow/trainer: pkg/runtime/framework/plugins/jobset/jobset.go (Build; copy in the "
            "JobSet's spec); pkg/runtime/core/snapshot.go (createRuntimeSnapshot)"
        ),
    ),
    (
        "triggers.tekton.dev",
        "TriggerTemplate Trigger EventListener",
        (
            "tekton.dev/v1/PipelineRun",
            "tekton.dev/v1/TaskRun",
        ),
        (
            "tektoncd/triggers: pkg/template/event.go, pkg/resources/create.go (Create; copy in spec;"
            " any kind)"
        ),
    ),
    (
        "velero.io",
        "Schedule",
        ("velero.io/v1/Backup",),
        (
            "velero-io/velero: pkg/builder/backup_builder.go (FromSchedule; copy in "
            "spec.resourcePolicy and others)"
        ),
    ),
    (
        "workloads.x-k8s.io",
        "RoleBasedGroupSet",
        (
            "workloads.x-k8s.io/v1alpha2/RoleBasedGroup",
            "workloads.x-k8s.io/v1alpha2/RoleInstanceSet",
            "workloads.x-k8s.io/v1alpha2/RoleInstance",
        ),
        (
            "sgl-project/rbg: internal/controller/workloads/rolebasedgroupset_controller.go (copy in "
            "spec)"
        ),
    ),
    (
        "workloads.x-k8s.io",
        "RoleInstanceSet",
        ("workloads.x-k8s.io/v1alpha2/RoleInstance",),
        (
            "sgl-project/rbg: pkg/reconciler/roleinstanceset/statelessmode/core/implement.go (copy in"
            " spec)"
        ),
    ),
    (
        "workloads.x-k8s.io",
        "RoleBasedGroup",
        (
            "workloads.x-k8s.io/v1alpha2/RoleInstanceSet",
            "workloads.x-k8s.io/v1alpha2/RoleInstance",
        ),
        (
            "sgl-project/rbg: pkg/reconciler/roleinstanceset_reconciler.go, "
            "pkg/reconciler/lws_reconciler.go (copy in spec)"
        ),
    ),
)

# Group, its kinds (`*` for all but those of MAKES), and what is made of them.
MAKES_NONE = (
    ("cluster.ytsaurus.tech", "*", "ytsaurus-k8s-operator: pkg/apiproxy/proxy.go, synced in place"),
    ("kmm.sigs.x-k8s.io", "*", "kernel-module-management: its own objects change in place"),
    ("kubernetes.m.crossplane.io", "ProviderConfig", "read by the provider"),
    ("temporal.io", "WorkerDeployment", "temporal-worker-controller: a Deployment for each build"),
    ("tyk.tyk.io", "*", "read by the operator, and sent to Tyk"),
    ("access.strimzi.io", "*", "makes Secrets"),
    (
        "acid.zalan.do",
        "*",
        "zalando/postgres-operator: pkg/cluster makes StatefulSets and CronJobs",
    ),
    ("acme.cert-manager.io", "*", "cert-manager: a Challenge makes Pods, Services, Ingresses"),
    (
        "actions.github.com",
        "AutoscalingListener EphemeralRunner",
        "actions/actions-runner-controller: controllers/actions.github.com makes Pods",
    ),
    (
        "actions.summerwind.dev",
        "HorizontalRunnerAutoscaler Runner RunnerSet",
        (
            "actions/actions-runner-controller: controllers/actions.summerwind.net makes Pods and "
            "StatefulSets"
        ),
    ),
    ("addons.cluster.x-k8s.io", "*", "read as it is applied"),
    (
        "agent.k8s.elastic.co",
        "*",
        "elastic/cloud-on-k8s: pkg/controller makes a Deployment, DaemonSet or StatefulSet",
    ),
    ("agones.dev", "GameServer", "googleforgames/agones: pkg/gameservers makes a Pod"),
    (
        "apiextensions.crossplane.io",
        "CompositeResourceDefinition EnvironmentConfig",
        "crossplane/crossplane: makes CustomResourceDefinitions, or is read",
    ),
    ("apisix.apache.org", "*", "read by the ingress controller"),
    ("apm.k8s.elastic.co", "*", "elastic/cloud-on-k8s: pkg/controller makes a Deployment"),
    ("apps.gitlab.com", "GitLab Runner", "makes Deployments and StatefulSets"),
    (
        "apps.kruise.io",
        (
            "CloneSet StatefulSet DaemonSet BroadcastJob SidecarSet NodeImage ResourceDistribution "
            "WorkloadSpread EphemeralJob"
        ),
        "openkruise/kruise: pkg/controller makes Pods and ControllerRevisions",
    ),
    (
        "apps.nvidia.com",
        "NIMCache",
        "NVIDIA/k8s-nim-operator: internal/controller/nimcache_controller.go makes a Job or Pod",
    ),
    ("apps.openshift.io", "DeploymentConfig", "makes ReplicationControllers"),
    ("argocd-image-updater.argoproj.io", "*", "read at each run"),
    (
        "argoproj.io",
        (
            "Application AppProject AnalysisRun EventSource EventBus ArgoCD ArgoCDExport "
            "WorkflowTaskSet WorkflowArtifactGCTask WorkflowTaskResult"
        ),
        (
            "argo-events: pkg/reconciler/{eventsource,eventbus} make Deployments and StatefulSets; an"
            " AnalysisRun makes Jobs; an Application renders manifests"
        ),
    ),
    ("aws.upbound.io", "ProviderConfig", "read"),
    ("azure.upbound.io", "ProviderConfig", "read"),
    ("barmancloud.cnpg.io", "*", "an ObjectStore is read"),
    ("batch.volcano.sh", "Job", "volcano-sh/volcano: pkg/controllers/job makes Pods"),
    (
        "beat.k8s.elastic.co",
        "*",
        "elastic/cloud-on-k8s: pkg/controller makes a Deployment or DaemonSet",
    ),
    ("bitnami.com", "*", "a SealedSecret makes a Secret"),
    ("bootstrap.cluster.x-k8s.io", "KubeadmConfig", "kubernetes-sigs/cluster-api: makes a Secret"),
    (
        "broker.amq.io",
        "ActiveMQArtemis ActiveMQArtemisAddress ActiveMQArtemisSecurity",
        "makes a StatefulSet, or is read",
    ),
    ("build.openshift.io", "Build", "makes a Pod"),
    ("camel.apache.org", "*", "a Deployment or CronJob that changes in place"),
    ("cassandra.datastax.com", "*", "cass-operator makes StatefulSets"),
    (
        "ceph.rook.io",
        "*",
        (
            "rook/rook: pkg/operator/ceph makes Deployments, DaemonSets, Jobs; the csi.ceph.io "
            "objects name only Secrets that it makes itself"
        ),
    ),
    (
        "cert-manager.io",
        "*",
        (
            "cert-manager: a Certificate makes CertificateRequest and Order, which name no other "
            "Secret (the issuers have rows in MAKES)"
        ),
    ),
    (
        "chaos-mesh.org",
        "AWSChaos AzureChaos GCPChaos PodHttpChaos RemoteCluster",
        "chaos-mesh/chaos-mesh: controllers/chaosimpl (read)",
    ),
    (
        "cilium.io",
        "CiliumEnvoyConfig CiliumClusterwideEnvoyConfig CiliumBGPPeerConfig CiliumBGPPeeringPolicy",
        "read by the agent",
    ),
    ("cloud.google.com", "BackendConfig", "read by the ingress controller"),
    ("config.openshift.io", "*", "read by the cluster's operators"),
    ("config.projectsveltos.io", "*", "a ClusterSummary changes in place"),
    ("configuration.konghq.com", "*", "read by the ingress controller"),
    ("core.strimzi.io", "*", "strimzi: a StrimziPodSet makes Pods"),
    ("crd.projectcalico.org", "BGPPeer BGPConfiguration", "read by calico/node"),
    ("dapr.io", "*", "read by the sidecar at its start"),
    ("databases.spotahome.com", "*", "makes a StatefulSet and a Deployment"),
    ("dragonflydb.io", "*", "dragonflydb/dragonfly-operator makes a StatefulSet"),
    (
        "elasticsearch.k8s.elastic.co",
        "*",
        "elastic/cloud-on-k8s: pkg/controller makes StatefulSets",
    ),
    (
        "enterprisesearch.k8s.elastic.co",
        "*",
        "elastic/cloud-on-k8s: pkg/controller makes a Deployment",
    ),
    ("executor.testkube.io", "*", "kubeshop/testkube: read as a test starts"),
    ("extensions.istio.io", "*", "read by istiod"),
    ("external-secrets.io", "*", "external-secrets: makes Secrets (four kinds have rows in MAKES)"),
    ("externaldns.k8s.io", "*", "DNSEndpoint: read"),
    (
        "flagger.app",
        "*",
        (
            "fluxcd/flagger: pkg/canary makes a second Deployment and copies of its ConfigMaps; "
            "AlertProvider and MetricTemplate are read"
        ),
    ),
    ("fleet.cattle.io", "*", "a Bundle changes in place; what git states is applied"),
    (
        "flink.apache.org",
        "FlinkSessionJob FlinkStateSnapshot",
        "apache/flink-kubernetes-operator: sent to the session cluster",
    ),
    (
        "fluentbit.fluent.io",
        "*",
        "fluent-operator makes a DaemonSet and a Secret with the whole configuration",
    ),
    (
        "fluentd.fluent.io",
        "*",
        "fluent-operator makes a StatefulSet and a Secret with the whole configuration",
    ),
    ("fluxcd.controlplane.io", "*", "what stands in it is applied"),
    ("gateway.envoyproxy.io", "*", "read; an EnvoyProxy shapes a Deployment"),
    (
        "gateway.networking.k8s.io",
        "*",
        "read by the gateway's controller, which makes Deployments at most",
    ),
    ("gateway.networking.x-k8s.io", "*", "read by the gateway's controller"),
    ("gateway.nginx.org", "*", "read; an NginxProxy shapes a Deployment"),
    ("gcp.upbound.io", "ProviderConfig", "read"),
    ("getambassador.io", "*", "read by Emissary"),
    ("grafana.integreatly.org", "*", "makes a Deployment; the rest is read"),
    ("helm.cattle.io", "*", "helm-controller makes a Job; values are read at install"),
    ("helm.crossplane.io", "ProviderConfig Release", "values are read at install"),
    ("helm.toolkit.fluxcd.io", "*", "values are read at install"),
    ("image.toolkit.fluxcd.io", "*", "read at each scan"),
    ("infrastructure.cluster.x-k8s.io", "AWSClusterStaticIdentity VSphereClusterIdentity", "read"),
    ("integreatly.org", "*", "makes a Deployment; the rest is read"),
    ("isindir.github.com", "*", "a SopsSecret makes Secrets"),
    ("jaegertracing.io", "*", "makes Deployments, Jobs and CronJobs"),
    ("jenkins.io", "Jenkins", "makes a Pod"),
    ("jetstream.nats.io", "*", "read by the controller"),
    ("jobset.x-k8s.io", "JobSet", "kubernetes-sigs/jobset: pkg/controllers makes Jobs"),
    ("k6.io", "K6 TestRun", "grafana/k6-operator makes Jobs"),
    ("k8s.keycloak.org", "*", "makes a StatefulSet; a KeycloakRealmImport makes a Job"),
    ("k8s.mariadb.com", "*", "StatefulSets, Jobs, and objects that change in place"),
    ("k8s.nginx.org", "*", "read by the ingress controller"),
    ("k8ssandra.io", "*", "a CassandraDatacenter changes in place"),
    (
        "k8up.io",
        "Archive Backup Check PreBackupPod Prune Restore",
        "k8up-io/k8up: operator makes Jobs and Deployments",
    ),
    (
        "kafka.strimzi.io",
        "*",
        "strimzi: makes Deployments, Secrets, ConfigMaps (four kinds have rows in MAKES)",
    ),
    ("kappctrl.k14s.io", "App", "carvel-dev/kapp-controller: read at each deploy"),
    (
        "keda.sh",
        "*",
        (
            "kedacore/keda: pkg/scaling/executor/scale_jobs.go makes Jobs; a ScaledObject makes a "
            "HorizontalPodAutoscaler"
        ),
    ),
    ("kibana.k8s.elastic.co", "*", "elastic/cloud-on-k8s: pkg/controller makes a Deployment"),
    (
        "kubeflow.org",
        (
            "JAXJob MPIJob MXJob Notebook PaddleJob PodDefault Profile PyTorchJob Suggestion TFJob "
            "Viewer XGBoostJob"
        ),
        (
            "kubeflow/mpi-operator: pkg/controller/mpi_job_controller.go makes Pods and Jobs; the "
            "others make Pods, StatefulSets, Deployments"
        ),
    ),
    ("kubegres.reactive-tech.io", "*", "makes StatefulSets"),
    ("kubernetes.crossplane.io", "ProviderConfig", "read"),
    (
        "kubevirt.io",
        "VirtualMachineInstance",
        "kubevirt: pkg/virt-controller/watch/vmi makes a Pod",
    ),
    ("kueue.x-k8s.io", "MultiKueueCluster", "kubernetes-sigs/kueue: read"),
    ("kustomize.toolkit.fluxcd.io", "*", "read at each build; makes what git states"),
    (
        "kyverno.io",
        "CleanupPolicy ClusterCleanupPolicy PolicyException GlobalContextEntry",
        "read at admission or at each run",
    ),
    (
        "leaderworkerset.x-k8s.io",
        "LeaderWorkerSet",
        (
            "kubernetes-sigs/lws: pkg/controllers/leaderworkerset_controller.go makes StatefulSets "
            "and ControllerRevisions"
        ),
    ),
    (
        "litmuschaos.io",
        "ChaosEngine ChaosExperiment",
        "litmuschaos/chaos-operator: makes Pods and Jobs",
    ),
    (
        "logging-extensions.banzaicloud.io",
        "*",
        "kube-logging/logging-operator: makes StatefulSets and DaemonSets",
    ),
    (
        "logging.banzaicloud.io",
        "*",
        "kube-logging/logging-operator: pkg/resources makes StatefulSets, DaemonSets, Secrets",
    ),
    ("logstash.k8s.elastic.co", "*", "elastic/cloud-on-k8s: pkg/controller makes a StatefulSet"),
    ("loki.grafana.com", "*", "makes StatefulSets and Deployments"),
    (
        "longhorn.io",
        "BackupTarget RecurringJob Setting",
        "read by the manager; a RecurringJob makes a CronJob",
    ),
    (
        "machinelearning.seldon.io",
        "SeldonDeployment",
        "SeldonIO/seldon-core: operator/controllers makes Deployments",
    ),
    ("maps.k8s.elastic.co", "*", "elastic/cloud-on-k8s: pkg/controller makes a Deployment"),
    ("mellanox.com", "NicClusterPolicy", "makes DaemonSets"),
    ("metallb.io", "*", "read by the speakers"),
    ("minio.min.io", "*", "makes StatefulSets"),
    (
        "mongodb.com",
        "MongoDB MongoDBMultiCluster MongoDBOpsManager MongoDBUser",
        "makes StatefulSets; a user is read",
    ),
    ("mongodbcommunity.mongodb.com", "*", "makes a StatefulSet"),
    (
        "monitoring.coreos.com",
        "*",
        (
            "prometheus-operator: pkg/{prometheus,alertmanager,thanos} make StatefulSets, DaemonSets,"
            " Secrets; the rest is read"
        ),
    ),
    ("monitoring.grafana.com", "*", "the agent operator makes StatefulSets and DaemonSets"),
    ("mutations.gatekeeper.sh", "*", "read at admission"),
    (
        "networking.cfargotunnel.com",
        "*",
        "adyanth/cloudflare-operator makes Deployments and ConfigMaps",
    ),
    ("networking.istio.io", "*", "read by istiod"),
    ("notification.toolkit.fluxcd.io", "*", "read at each event"),
    (
        "numaflow.numaproj.io",
        "Vertex MonoVertex InterStepBufferService",
        "numaproj/numaflow: pkg/reconciler/{vertex,monovertex,isbsvc} makes Pods and StatefulSets",
    ),
    (
        "nvidia.com",
        "ClusterPolicy NVIDIADriver",
        "NVIDIA/gpu-operator: controllers makes DaemonSets",
    ),
    ("objectbucket.io", "ObjectBucketClaim", "makes a ConfigMap and a Secret"),
    ("onepassword.com", "*", "makes Secrets"),
    ("opentelemetry.io", "*", "Deployments, and a TargetAllocator that changes in place"),
    ("operator.openshift.io", "IngressController", "makes a Deployment"),
    ("operator.tigera.io", "APIServer Installation", "makes Deployments and DaemonSets"),
    (
        "operator.victoriametrics.com",
        "*",
        (
            "VictoriaMetrics/operator: internal/controller/operator/factory makes Deployments and "
            "StatefulSets (VMDistributed has a row in MAKES)"
        ),
    ),
    (
        "packageregistry.k8s.elastic.co",
        "*",
        "elastic/cloud-on-k8s: pkg/controller makes a Deployment",
    ),
    ("packaging.carvel.dev", "*", "an App changes in place"),
    ("pgv2.percona.com", "*", "a PostgresCluster changes in place"),
    ("pipelinesascode.tekton.dev", "*", "read at each event"),
    (
        "pkg.crossplane.io",
        (
            "DeploymentRuntimeConfig ImageConfig ProviderRevision FunctionRevision "
            "ConfigurationRevision"
        ),
        "crossplane/crossplane: internal/controller/pkg makes Deployments, or is read",
    ),
    (
        "policies.kyverno.io",
        "ValidatingPolicy ImageValidatingPolicy MutatingPolicy DeletingPolicy",
        "read at admission",
    ),
    ("postgres-operator.crunchydata.com", "*", "makes StatefulSets, Deployments, CronJobs, Jobs"),
    (
        "postgresql.cnpg.io",
        "*",
        "Pods and Jobs; a Backup keeps the names of its Secrets for the operator alone",
    ),
    ("projectcalico.org", "BGPPeer BGPConfiguration", "read by calico/node"),
    (
        "projectcontour.io",
        "*",
        "projectcontour/contour: read by Contour (ContourDeployment has a row in MAKES)",
    ),
    (
        "psmdb.percona.com",
        "PerconaServerMongoDBBackup PerconaServerMongoDBClusterSync PerconaServerMongoDBRestore",
        "percona/percona-server-mongodb-operator: pkg/controller makes Jobs",
    ),
    (
        "pxc.percona.com",
        "PerconaXtraDBClusterBackup PerconaXtraDBClusterRestore",
        "percona/percona-xtradb-cluster-operator: pkg/controller makes Jobs",
    ),
    (
        "rabbitmq.com",
        "*",
        "makes a StatefulSet; the topology kinds are read (SuperStream has a row in MAKES)",
    ),
    (
        "ray.io",
        "RayCluster",
        (
            "ray-project/kuberay: ray-operator/controllers/ray/raycluster_controller.go makes Pods "
            "(its certificates and PodGroups name no ConfigMap)"
        ),
    ),
    (
        "reaper.k8ssandra.io",
        "*",
        "k8ssandra-operator: pkg/reaper makes a Deployment or StatefulSet",
    ),
    (
        "redis.redis.opstreelabs.in",
        "*",
        "OT-CONTAINER-KIT/redis-operator: internal/k8sutils makes StatefulSets",
    ),
    ("ricoberger.de", "*", "a VaultSecret makes a Secret"),
    ("route.openshift.io", "Route", "read by the router"),
    ("sailoperator.io", "*", "charts of istiod"),
    ("scylla.scylladb.com", "*", "a ScyllaDBDatacenter changes in place"),
    ("secretgen.carvel.dev", "*", "makes Secrets"),
    ("secrets-store.csi.x-k8s.io", "*", "read as a volume is mounted"),
    ("secrets.doppler.com", "*", "makes Secrets"),
    ("secrets.hashicorp.com", "*", "makes Secrets; the rest is read"),
    ("secrets.infisical.com", "*", "makes Secrets"),
    ("security.istio.io", "*", "read by istiod"),
    ("serving.knative.dev", "*", "a Revision keeps its Deployment, with 0 replicas"),
    ("serving.kserve.io", "*", "its Deployment, or Knative Service, changes in place"),
    (
        "sinks.knative.dev",
        "IntegrationSink JobSink",
        "knative/eventing: pkg/reconciler makes Deployments and Jobs",
    ),
    ("snapshot.storage.k8s.io", "VolumeSnapshotClass", "read by the snapshotter"),
    ("solr.apache.org", "*", "StatefulSets, and a ZookeeperCluster that changes in place"),
    ("source.toolkit.fluxcd.io", "*", "read at each fetch"),
    ("sources.knative.dev", "*", "a Deployment that changes in place"),
    (
        "sparkoperator.k8s.io",
        "SparkApplication SparkConnect",
        "kubeflow/spark-operator: internal/controller/{sparkapplication,sparkconnect} makes Pods",
    ),
    ("spv.no", "*", "makes Secrets and ConfigMaps"),
    ("stackconfigpolicy.k8s.elastic.co", "*", "elastic/cloud-on-k8s: pkg/controller makes Secrets"),
    ("stackgres.io", "*", "an SGCluster changes in place"),
    ("stargate.k8ssandra.io", "*", "k8ssandra-operator: pkg/stargate makes Deployments"),
    ("starrocks.com", "*", "makes StatefulSets"),
    (
        "tekton.dev",
        "TaskRun VerificationPolicy",
        "tektoncd/pipeline: pkg/reconciler/taskrun makes Pods",
    ),
    ("telemetry.istio.io", "*", "read by istiod"),
    ("tempo.grafana.com", "*", "makes StatefulSets and Deployments"),
    ("tor.k8s.torproject.org", "*", "Deployments and StatefulSets"),
    ("traefik.containo.us", "*", "read by Traefik"),
    ("traefik.io", "*", "read by Traefik"),
    (
        "triggers.tekton.dev",
        "ClusterInterceptor ClusterTriggerBinding Interceptor TriggerBinding",
        "tektoncd/triggers: read",
    ),
    ("trust-manager.io", "*", "makes ConfigMaps and Secrets"),
    ("trust.cert-manager.io", "*", "makes ConfigMaps and Secrets"),
    ("upgrade.cattle.io", "*", "system-upgrade-controller makes Jobs of a Plan"),
    (
        "upstream.pgv2.percona.com",
        "PostgresCluster",
        "percona/percona-postgresql-operator: internal/controller makes StatefulSets and Jobs",
    ),
    ("vault.banzaicloud.com", "*", "makes a StatefulSet"),
    (
        "velero.io",
        "*",
        (
            "velero: the objects that a Backup makes name no ConfigMap and no Secret (Schedule has a "
            "row in MAKES)"
        ),
    ),
    ("volsync.backube", "*", "makes Jobs and VolumeSnapshots"),
    ("zookeeper.pravega.io", "*", "pravega/zookeeper-operator makes a StatefulSet"),
)

# By which field a controller leaves pods as they are when the template changes: group, kind, path,
# what it says, and the effect. A number holds the pods below it (kubernetes: `Spec.Paused` in
# pkg/controller/deployment/deployment_controller.go, OnDelete and `Partition` in
# pkg/controller/statefulset/stateful_set_control.go, OnDelete in
# pkg/controller/daemon/daemon_controller.go; argo-rollouts: `Spec.Paused` in rollout/sync.go).
HOLDS = (
    ("apps", "Deployment", "spec/paused", "true", "paused"),
    ("apps", "StatefulSet", "spec/updateStrategy/type", "OnDelete", "on-delete"),
    ("apps", "StatefulSet", "spec/updateStrategy/rollingUpdate/partition", "", "partition"),
    ("apps", "DaemonSet", "spec/updateStrategy/type", "OnDelete", "on-delete"),
    ("argoproj.io", "Rollout", "spec/paused", "true", "paused"),
)

# What another pod template does to kinds whose controllers do not roll it: group, kind, what an object
# says if the row is of such objects alone, and the effect; the first row that fits counts. Then the
# field of which each change does so, if that is not just a pod template, the fields in it that do
# not, and the source.
EFFECTS = (
    (
        "controlplane.cluster.x-k8s.io",
        "KubeadmControlPlane",
        "",
        "replaces-machines",
        "spec.kubeadmConfigSpec",
        (),
        (
            "kubernetes-sigs/cluster-api: controlplane/kubeadm/internal/filters.go "
            "(MatchesMachineSpec, matchInitOrJoinConfiguration)"
        ),
    ),
    (
        "keda.sh",
        "ScaledJob",
        "spec.rollout.strategy=gradual",
        "next-run",
        "",
        (),
        (
            "kedacore/keda: controllers/keda/scaledjob_controller.go "
            "(deletePreviousVersionScaleJobs)"
        ),
    ),
    (
        "keda.sh",
        "ScaledJob",
        "",
        "ends-runs",
        "spec",
        (),
        (
            "kedacore/keda: controllers/keda/scaledjob_controller.go "
            "(deletePreviousVersionScaleJobs: all Jobs of another generation)"
        ),
    ),
    (
        "ray.io",
        "RayCluster",
        "spec.upgradeStrategy.type=Recreate",
        "rolls",
        "",
        (),
        (
            "ray-project/kuberay: ray-operator/controllers/ray/raycluster_controller.go "
            "(shouldRecreatePodsForUpgrade)"
        ),
    ),
    (
        "ray.io",
        "RayCluster",
        "",
        "new-pods",
        "",
        (),
        (
            "ray-project/kuberay: ray-operator/controllers/ray/raycluster_controller.go "
            "(reconcilePods compares numbers of pods)"
        ),
    ),
    (
        "sparkoperator.k8s.io",
        "SparkApplication",
        "",
        "ends-runs",
        "spec",
        ("spec.suspend", "spec.timeToLiveSeconds"),
        (
            "kubeflow/spark-operator: internal/controller/sparkapplication/event_filter.go "
            "(EventFilter.Update: ApplicationStateInvalidating)"
        ),
    ),
)

# Kinds of others of which a webhook or a rule of the definition refuses a change: group, kind, what
# an object says, the refused operations as in IMMUTABLE, and the source. Of fields to which a webhook
# adds defaults, only another value is known to be refused. Behind `.*`: only of what is in a field.
REFUSING = (
    (
        "argoproj.io",
        "Rollout",
        "",
        {"spec.selector": "change", "spec.selector.*": "change,set,unset"},
        "argoproj/argo-rollouts: manifests/crds/rollout-crd.yaml (self == oldSelf)",
    ),
    (
        "batch.volcano.sh",
        "Job",
        "",
        {
            "spec.tasks": "set,unset",
            "spec.tasks.template": "change",
        },
        "volcano-sh/volcano: pkg/webhooks/admission/jobs/validate/admit_job.go (validateJobUpdate)",
    ),
    (
        "cassandra.datastax.com",
        "CassandraDatacenter",
        "",
        {"spec.superuserSecretName": "change,set,unset"},
        (
            "k8ssandra/cass-operator: internal/webhooks/cassandra/v1beta1/cassandradatacenter_webhook.go "
            "(ValidateDatacenterFieldChanges)"
        ),
    ),
    (
        "cdi.kubevirt.io",
        "DataVolume",
        "",
        {"spec.source": "change,set,unset"},
        (
            "kubevirt/containerized-data-importer: pkg/apiserver/webhooks/datavolume-validate.go "
            "(Admit; but for spec.checkpoints)"
        ),
    ),
    (
        "cdi.kubevirt.io",
        "VolumeImportSource",
        "",
        {"spec.source": "change,set,unset"},
        (
            "kubevirt/containerized-data-importer: pkg/apiserver/webhooks/populators-validate.go "
            "(validateVolumeImportSourceUpdate; but for spec.checkpoints)"
        ),
    ),
    (
        "ceph.rook.io",
        "CephClient",
        "",
        {"spec.secretName": "change"},
        "rook/rook: pkg/apis/ceph.rook.io/v1/types.go (ClientSpec; self == oldSelf)",
    ),
    (
        "controlplane.cluster.x-k8s.io",
        "KubeadmControlPlaneTemplate",
        "",
        {"spec.template.spec": "change"},
        (
            "kubernetes-sigs/cluster-api: "
            "controlplane/kubeadm/webhooks/admission/kubeadmcontrolplanetemplate.go (ValidateUpdate)"
        ),
    ),
    (
        "csiaddons.openshift.io",
        "NetworkFence",
        "",
        {
            "spec.parameters": "change",
            "spec.parameters.*": "change,set,unset",
            "spec.secret": "change",
            "spec.secret.*": "change,set,unset",
        },
        (
            "csi-addons/kubernetes-csi-addons: api/csiaddons/v1alpha1/networkfence_types.go "
            "(SecretSpec, NetworkFenceSpec; self == oldSelf)"
        ),
    ),
    (
        "csiaddons.openshift.io",
        "NetworkFenceClass",
        "",
        {"spec.parameters": "change,set,unset"},
        (
            "csi-addons/kubernetes-csi-addons: api/csiaddons/v1alpha1/networkfenceclass_types.go "
            "(NetworkFenceClassSpec; self == oldSelf)"
        ),
    ),
    (
        "eventing.knative.dev",
        "Broker",
        "",
        {"spec.config": "change"},
        (
            "knative/eventing: pkg/apis/eventing/v1/broker_validation.go (CheckImmutableFields; all "
            "but spec.delivery)"
        ),
    ),
    (
        "jobset.x-k8s.io",
        "JobSet",
        "spec.suspend=true",
        {
            "spec.replicatedJobs.template.spec.template.spec.containers": "change",
            "spec.replicatedJobs.template.spec.template.spec.initContainers": "change",
            "spec.replicatedJobs.template.spec.template.spec.volumes": "change",
            "spec.suspend": "",
        },
        "kubernetes-sigs/jobset: pkg/webhooks/jobset_webhook.go (ValidateUpdate; Kueue may suspend it, and then place its pods)",
    ),
    (
        "jobset.x-k8s.io",
        "JobSet",
        "",
        {
            "spec.replicatedJobs": "set,unset",
            "spec.replicatedJobs.template": "change,set,unset",
            "spec.replicatedJobs.template.spec.completionMode": "change",
            "spec.replicatedJobs.template.spec.template.spec.restartPolicy": "change",
        },
        "kubernetes-sigs/jobset: pkg/webhooks/jobset_webhook.go (ValidateUpdate)",
    ),
    # Its webhook compares the fields with the tag `inmutable`, or `inmutableinit` once they are set.
    (
        "k8s.mariadb.com",
        "Backup",
        "",
        {"spec.storage": "change"},
        "mariadb-operator/mariadb-operator: api/v1alpha1/backup_types.go (BackupSpec)",
    ),
    (
        "k8s.mariadb.com",
        "MariaDB",
        "",
        {
            "spec.bootstrapFrom.azureBlob": "change",
            "spec.bootstrapFrom.s3": "change",
            "spec.rootPasswordSecretKeyRef": "change",
        },
        "mariadb-operator/mariadb-operator: api/v1alpha1/mariadb_types.go (MariaDBSpec, BootstrapFrom)",
    ),
    (
        "k8s.mariadb.com",
        "MaxScale",
        "",
        {"spec.auth.adminPasswordSecretKeyRef": "change"},
        "mariadb-operator/mariadb-operator: api/v1alpha1/maxscale_types.go (MaxScaleAuth)",
    ),
    (
        "k8s.mariadb.com",
        "PhysicalBackup",
        "",
        {"spec.storage": "change"},
        "mariadb-operator/mariadb-operator: api/v1alpha1/physicalbackup_types.go (PhysicalBackupSpec)",
    ),
    (
        "k8s.mariadb.com",
        "Restore",
        "",
        {"spec.s3": "change"},
        "mariadb-operator/mariadb-operator: api/v1alpha1/restore_types.go (RestoreSource)",
    ),
    (
        "k8s.mariadb.com",
        "SqlJob",
        "",
        {"spec.passwordSecretKeyRef": "change", "spec.sqlConfigMapKeyRef": "change"},
        "mariadb-operator/mariadb-operator: api/v1alpha1/sqljob_types.go (SqlJobSpec)",
    ),
    # Its own operator, not the API server: it keeps the name that the CassandraDatacenter has.
    (
        "k8ssandra.io",
        "K8ssandraCluster",
        "",
        {"spec.cassandra.superuserSecretRef": "change,set,unset"},
        (
            "k8ssandra/k8ssandra-operator: controllers/k8ssandra/datacenters.go "
            "(reconcileDatacenters: SuperuserSecretName is immutable)"
        ),
    ),
    # Its own operator, not the API server: it does nothing any more until the name is back.
    (
        "operator.cryostat.io",
        "Cryostat",
        "",
        {"spec.databaseOptions.secretName": "change,set,unset"},
        "cryostatio/cryostat-operator: internal/controller/secrets.go (errDatabaseSecretUpdated)",
    ),
    (
        "replication.storage.openshift.io",
        "VolumeGroupReplicationClass",
        "",
        {"spec.parameters": "change,set,unset"},
        (
            "csi-addons/kubernetes-csi-addons: api/replication.storage/v1alpha1/volumegroupreplicationclass_types.go "
            "(VolumeGroupReplicationClassSpec; self == oldSelf)"
        ),
    ),
    (
        "replication.storage.openshift.io",
        "VolumeReplicationClass",
        "",
        {"spec.parameters": "change,set,unset"},
        (
            "csi-addons/kubernetes-csi-addons: api/replication.storage/v1alpha1/volumereplicationclass_types.go "
            "(VolumeReplicationClassSpec; self == oldSelf)"
        ),
    ),
    (
        "snapshot.storage.k8s.io",
        "VolumeSnapshot",
        "",
        {"spec.source": "change,set,unset"},
        (
            "kubernetes-csi/external-snapshotter: pkg/validation-webhook/snapshot.go "
            "(checkSnapshotImmutableFieldsV1), since then rules in "
            "client/config/crd/snapshot.storage.k8s.io_volumesnapshots.yaml"
        ),
    ),
    (
        "tekton.dev",
        "PipelineRun",
        "",
        {"spec": "change", "spec.params": "change,set,unset", "spec.status": ""},
        (
            "tektoncd/pipeline: pkg/apis/pipeline/v1/pipelinerun_validation.go (ValidateUpdate; only "
            "spec.status)"
        ),
    ),
    (
        "tekton.dev",
        "TaskRun",
        "",
        {
            "spec": "change",
            "spec.params": "change,set,unset",
            "spec.status": "",
            "spec.statusMessage": "",
        },
        (
            "tektoncd/pipeline: pkg/apis/pipeline/v1/taskrun_validation.go (ValidateUpdate; only "
            "spec.status and spec.statusMessage)"
        ),
    ),
    (
        "trainer.kubeflow.org",
        "TrainJob",
        "",
        {"spec.initializer": "change"},
        (
            "kubeflow/trainer: manifests/base/crds/trainer.kubeflow.org_trainjobs.yaml "
            "(self == oldSelf)"
        ),
    ),
)

# Kinds that run to an end, and of which nobody can change what runs: `spec.jobs: rename` names them.
RUNS = (
    ("batch", "Job"),
    ("batch.volcano.sh", "Job"),
    ("jobset.x-k8s.io", "JobSet"),
    ("tekton.dev", "PipelineRun"),
    ("tekton.dev", "TaskRun"),
)

# kubernetes: `ShortNames` in pkg/registry/{core,apps,batch}/*/storage; argo-rollouts:
# manifests/crds/rollout-crd.yaml
SHORT_NAMES = {
    "ConfigMap": "cm",
    "CronJob": "cj",
    "DaemonSet": "ds",
    "Deployment": "deploy",
    "Pod": "po",
    "ReplicaSet": "rs",
    "ReplicationController": "rc",
    "Rollout": "ro",
    "StatefulSet": "sts",
}

CLUSTER_SCOPED = {
    "v1": ("Namespace", "Node", "PersistentVolume"),
    "admissionregistration.k8s.io/v1": (
        "MutatingAdmissionPolicy",
        "MutatingAdmissionPolicyBinding",
        "MutatingWebhookConfiguration",
        "ValidatingAdmissionPolicy",
        "ValidatingAdmissionPolicyBinding",
        "ValidatingWebhookConfiguration",
    ),
    "apiextensions.crossplane.io/v1": (
        "CompositeResourceDefinition",
        "Composition",
        "CompositionRevision",
    ),
    "apiextensions.k8s.io/v1": ("CustomResourceDefinition",),
    "apiregistration.k8s.io/v1": ("APIService",),
    "apps.kruise.io/v1alpha1": ("NodeImage", "SidecarSet"),
    "argoproj.io/v1alpha1": ("ClusterAnalysisTemplate", "ClusterWorkflowTemplate"),
    "cert-manager.io/v1": ("ClusterIssuer",),
    "config.openshift.io/v1": (
        "APIServer",
        "Authentication",
        "Build",
        "Image",
        "Ingress",
        "OAuth",
        "Proxy",
        "Scheduler",
    ),
    "config.projectsveltos.io/v1beta1": ("ClusterProfile",),
    "crd.projectcalico.org/v1": ("BGPPeer",),
    "external-secrets.io/v1": ("ClusterExternalSecret", "ClusterPushSecret", "ClusterSecretStore"),
    "fluentbit.fluent.io/v1alpha2": (
        "ClusterFilter",
        "ClusterFluentBitConfig",
        "ClusterInput",
        "ClusterOutput",
        "ClusterParser",
    ),
    "fluentd.fluent.io/v1alpha1": (
        "ClusterFilter",
        "ClusterFluentdConfig",
        "ClusterInput",
        "ClusterOutput",
    ),
    "gateway.networking.k8s.io/v1": ("GatewayClass",),
    "gateway.networking.x-k8s.io/v1alpha1": ("XMesh",),
    "generators.external-secrets.io/v1alpha1": ("ClusterGenerator",),
    "infrastructure.cluster.x-k8s.io/v1beta1": ("VSphereClusterIdentity",),
    "infrastructure.cluster.x-k8s.io/v1beta2": ("AWSClusterStaticIdentity",),
    "keda.sh/v1alpha1": ("ClusterTriggerAuthentication",),
    "kro.run/v1alpha1": ("ResourceGraphDefinition",),
    "kueue.x-k8s.io/v1beta1": ("MultiKueueCluster",),
    "kyverno.io/v1": ("ClusterPolicy",),
    "kyverno.io/v2": ("ClusterCleanupPolicy",),
    "mutations.gatekeeper.sh/v1": ("Assign", "AssignMetadata", "ModifySet"),
    "mutations.gatekeeper.sh/v1alpha1": ("AssignImage",),
    "networking.cfargotunnel.com/v1alpha2": ("ClusterTunnel",),
    "networking.k8s.io/v1": ("IngressClass",),
    "nvidia.com/v1": ("ClusterPolicy",),
    "operator.tigera.io/v1": ("APIServer", "Installation", "TigeraStatus"),
    "ops.crossplane.io/v1alpha1": ("CronOperation", "Operation", "WatchOperation"),
    "piraeus.io/v1": (
        "LinstorCluster",
        "LinstorNodeConnection",
        "LinstorSatellite",
        "LinstorSatelliteConfiguration",
    ),
    "pkg.crossplane.io/v1": (
        "Configuration",
        "ConfigurationRevision",
        "DeploymentRuntimeConfig",
        "Function",
        "FunctionRevision",
        "ImageConfig",
        "Provider",
        "ProviderRevision",
    ),
    "policies.kyverno.io/v1": ("GeneratingPolicy", "MutatingPolicy"),
    "projectcalico.org/v3": ("BGPPeer",),
    "rbac.authorization.k8s.io/v1": ("ClusterRole", "ClusterRoleBinding"),
    "snapshot.storage.k8s.io/v1": ("VolumeSnapshotClass",),
    "storage.k8s.io/v1": ("CSIDriver", "StorageClass", "VolumeAttributesClass"),
    "tekton.dev/v1beta1": ("ClusterTask",),
    "trust-manager.io/v1alpha2": ("ClusterBundle",),
    "trust.cert-manager.io/v1alpha1": ("Bundle",),
}

PLURALS = {
    ("", "Redis"): "redis",
    ("argoproj.io", "EventBus"): "eventbus",
    ("chaos-mesh.org", "AWSChaos"): "awschaos",
    ("chaos-mesh.org", "AzureChaos"): "azurechaos",
    ("chaos-mesh.org", "BlockChaos"): "blockchaos",
    ("chaos-mesh.org", "DNSChaos"): "dnschaos",
    ("chaos-mesh.org", "GCPChaos"): "gcpchaos",
    ("chaos-mesh.org", "HTTPChaos"): "httpchaos",
    ("chaos-mesh.org", "IOChaos"): "iochaos",
    ("chaos-mesh.org", "JVMChaos"): "jvmchaos",
    ("chaos-mesh.org", "KernelChaos"): "kernelchaos",
    ("chaos-mesh.org", "NetworkChaos"): "networkchaos",
    ("chaos-mesh.org", "PhysicalMachineChaos"): "physicalmachinechaos",
    ("chaos-mesh.org", "PodChaos"): "podchaos",
    ("chaos-mesh.org", "StressChaos"): "stresschaos",
    ("chaos-mesh.org", "TimeChaos"): "timechaos",
    ("jenkins.io", "Jenkins"): "jenkins",
    ("kubedb.com", "Redis"): "redises",
    ("kubegres.reactive-tech.io", "Kubegres"): "kubegres",
    ("mongodb.com", "MongoDB"): "mongodb",
    ("mongodb.com", "MongoDBMultiCluster"): "mongodbmulticluster",
    ("mongodb.com", "MongoDBOpsManager"): "opsmanagers",
    ("mongodbcommunity.mongodb.com", "MongoDBCommunity"): "mongodbcommunity",
    ("numaflow.numaproj.io", "MonoVertex"): "monovertices",
    ("numaflow.numaproj.io", "Vertex"): "vertices",
    ("operator.victoriametrics.com", "VLogs"): "vlogs",
}

AUTHORS_METADATA = (
    "annotations",
    "finalizers",
    "generateName",
    "labels",
    "name",
    "namespace",
    "ownerReferences",
)
HASH_LABELS = ("pod-template-hash", "rollouts-pod-template-hash", "controller-revision-hash")

SERVER_METADATA = (
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "generation",
    "managedFields",
    "resourceVersion",
    "selfLink",
    "uid",
)

BUILT_IN = (
    "",
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "apiregistration.k8s.io",
    "apps",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "autoscaling",
    "batch",
    "certificates.k8s.io",
    "coordination.k8s.io",
    "discovery.k8s.io",
    "events.k8s.io",
    "extensions",
    "flowcontrol.apiserver.k8s.io",
    "internal.apiserver.k8s.io",
    "networking.k8s.io",
    "node.k8s.io",
    "policy",
    "rbac.authorization.k8s.io",
    "resource.k8s.io",
    "scheduling.k8s.io",
    "storage.k8s.io",
    "storagemigration.k8s.io",
)

# Kinds whose fields describe fields of other objects.
# Source: kubernetes/kubernetes: staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1/types.go
OPAQUE_KINDS = ("CustomResourceDefinition",)
