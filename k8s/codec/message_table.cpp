#include "k8s/codec/message_table.hpp"

namespace troupe::k8s {

const std::string_view message_table = R"(AWSElasticBlockStoreVolumeSource
  1 volumeID text
  2 fsType text
  3 partition number?
  4 readOnly flag?
Affinity
  1 nodeAffinity NodeAffinity
  2 podAffinity PodAffinity
  3 podAntiAffinity PodAntiAffinity
AggregationRule
  1 clusterRoleSelectors *LabelSelector
AppArmorProfile
  1 type text
  2 localhostProfile text
AttachedVolume
  1 name text
  2 devicePath text
AzureDiskVolumeSource
  1 diskName text
  2 diskURI text
  3 cachingMode text
  4 fsType text
  5 readOnly flag
  6 kind text
AzureFilePersistentVolumeSource
  1 secretName text
  2 shareName text
  3 readOnly flag?
  4 secretNamespace text
AzureFileVolumeSource
  1 secretName text
  2 shareName text
  3 readOnly flag?
Binding
  1 metadata ObjectMeta
  2 target ObjectReference
BoundObjectReference
  1 kind text
  2 apiVersion text
  3 name text
  4 uid text
CSIPersistentVolumeSource
  1 driver text
  2 volumeHandle text
  3 readOnly flag?
  4 fsType text
  5 volumeAttributes map:text
  6 controllerPublishSecretRef SecretReference
  7 nodeStageSecretRef SecretReference
  8 nodePublishSecretRef SecretReference
  9 controllerExpandSecretRef SecretReference
  10 nodeExpandSecretRef SecretReference
CSIVolumeSource
  1 driver text
  2 readOnly flag
  3 fsType text
  4 volumeAttributes map:text
  5 nodePublishSecretRef LocalObjectReference
Capabilities
  1 add *text
  2 drop *text
CephFSPersistentVolumeSource
  1 monitors *text
  2 path text
  3 user text
  4 secretFile text
  5 secretRef SecretReference
  6 readOnly flag?
CephFSVolumeSource
  1 monitors *text
  2 path text
  3 user text
  4 secretFile text
  5 secretRef LocalObjectReference
  6 readOnly flag?
CinderPersistentVolumeSource
  1 volumeID text
  2 fsType text
  3 readOnly flag?
  4 secretRef SecretReference
CinderVolumeSource
  1 volumeID text
  2 fsType text
  3 readOnly flag?
  4 secretRef LocalObjectReference
ClientIPConfig
  1 timeoutSeconds number
ClusterRole
  1 metadata ObjectMeta
  2 rules *PolicyRule
  3 aggregationRule AggregationRule
ClusterRoleBinding
  1 metadata ObjectMeta
  2 subjects *Subject
  3 roleRef RoleRef
ClusterTrustBundleProjection
  1 name text
  2 signerName text
  3 labelSelector LabelSelector
  4 path text
  5 optional flag
Condition
  1 type text
  2 status text
  3 observedGeneration number?
  4 lastTransitionTime time
  5 reason text
  6 message text
ConfigMap
  1 metadata ObjectMeta
  2 data map:text
  3 binaryData map:bytes
  4 immutable flag
ConfigMapEnvSource
  1 - LocalObjectReference
  2 optional flag
ConfigMapKeySelector !
  1 - LocalObjectReference
  2 key text
  3 optional flag
ConfigMapNodeConfigSource
  1 namespace text
  2 name text
  3 uid text
  4 resourceVersion text
  5 kubeletConfigKey text
ConfigMapProjection
  1 - LocalObjectReference
  2 items *KeyToPath
  4 optional flag
ConfigMapVolumeSource
  1 - LocalObjectReference
  2 items *KeyToPath
  3 defaultMode number
  4 optional flag
Container
  1 name text
  2 image text
  3 command *text
  4 args *text
  5 workingDir text
  6 ports *containerPort,protocol=ContainerPort
  7 env *name=EnvVar
  8 resources ResourceRequirements
  9 volumeMounts *mountPath=VolumeMount
  10 livenessProbe Probe
  11 readinessProbe Probe
  12 lifecycle Lifecycle
  13 terminationMessagePath text
  14 imagePullPolicy text
  15 securityContext SecurityContext
  16 stdin flag?
  17 stdinOnce flag?
  18 tty flag?
  19 envFrom *EnvFromSource
  20 terminationMessagePolicy text
  21 volumeDevices *devicePath=VolumeDevice
  22 startupProbe Probe
  23 resizePolicy *ContainerResizePolicy
  24 restartPolicy text
  25 restartPolicyRules *ContainerRestartRule
ContainerExtendedResourceRequest
  1 containerName text
  2 resourceName text
  3 requestName text
ContainerImage
  1 names *text
  2 sizeBytes number?
ContainerPort
  1 name text
  2 hostPort number?
  3 containerPort number
  4 protocol text=TCP
  5 hostIP text
ContainerResizePolicy
  1 resourceName text
  2 restartPolicy text
ContainerResourceMetricSource
  1 name text
  2 target MetricTarget
  3 container text
ContainerResourceMetricStatus
  1 name text
  2 current MetricValueStatus
  3 container text
ContainerRestartRule
  1 action text
  2 exitCodes ContainerRestartRuleOnExitCodes
ContainerRestartRuleOnExitCodes
  1 operator text
  2 values *=number
ContainerState
  1 waiting ContainerStateWaiting
  2 running ContainerStateRunning
  3 terminated ContainerStateTerminated
ContainerStateRunning
  1 startedAt time
ContainerStateTerminated
  1 exitCode number
  2 signal number?
  3 reason text
  4 message text
  5 startedAt time
  6 finishedAt time
  7 containerID text
ContainerStateWaiting
  1 reason text
  2 message text
ContainerStatus
  1 name text
  2 state ContainerState
  3 lastState ContainerState
  4 ready flag
  5 restartCount number
  6 image text
  7 imageID text
  8 containerID text
  9 started flag
  10 allocatedResources map:quantity
  11 resources ResourceRequirements
  12 volumeMounts *mountPath=VolumeMountStatus
  13 user ContainerUser
  14 allocatedResourcesStatus *name=ResourceStatus
  15 stopSignal text
ContainerUser
  1 linux LinuxContainerUser
ControllerRevision
  1 metadata ObjectMeta
  2 data raw
  3 revision number
CronJob
  1 metadata ObjectMeta
  2 spec CronJobSpec
  3 status CronJobStatus
CronJobSpec
  1 schedule text
  2 startingDeadlineSeconds number
  3 concurrencyPolicy text
  4 suspend flag
  5 jobTemplate JobTemplateSpec
  6 successfulJobsHistoryLimit number
  7 failedJobsHistoryLimit number
  8 timeZone text
CronJobStatus
  1 active *ObjectReference
  4 lastScheduleTime time
  5 lastSuccessfulTime time
CrossVersionObjectReference
  1 kind text
  2 name text
  3 apiVersion text
DaemonEndpoint
  1 Port number
DaemonSet
  1 metadata ObjectMeta
  2 spec DaemonSetSpec
  3 status DaemonSetStatus
DaemonSetCondition
  1 type text
  2 status text
  3 lastTransitionTime time
  4 reason text
  5 message text
DaemonSetSpec
  1 selector LabelSelector
  2 template PodTemplateSpec
  3 updateStrategy DaemonSetUpdateStrategy
  4 minReadySeconds number?
  6 revisionHistoryLimit number
DaemonSetStatus
  1 currentNumberScheduled number
  2 numberMisscheduled number
  3 desiredNumberScheduled number
  4 numberReady number
  5 observedGeneration number?
  6 updatedNumberScheduled number?
  7 numberAvailable number?
  8 numberUnavailable number?
  9 collisionCount number
  10 conditions *type=DaemonSetCondition
DaemonSetUpdateStrategy
  1 type text
  2 rollingUpdate RollingUpdateDaemonSet
DeleteOptions
  1 gracePeriodSeconds number
  2 preconditions Preconditions
  3 orphanDependents flag
  4 propagationPolicy text
  5 dryRun *text
  6 ignoreStoreReadErrorWithClusterBreakingPotential flag
Deployment
  1 metadata ObjectMeta
  2 spec DeploymentSpec
  3 status DeploymentStatus
DeploymentCondition
  1 type text
  2 status text
  4 reason text
  5 message text
  6 lastUpdateTime time
  7 lastTransitionTime time
DeploymentSpec
  1 replicas number
  2 selector LabelSelector
  3 template PodTemplateSpec
  4 strategy DeploymentStrategy
  5 minReadySeconds number?
  6 revisionHistoryLimit number
  7 paused flag?
  9 progressDeadlineSeconds number
DeploymentStatus
  1 observedGeneration number?
  2 replicas number?
  3 updatedReplicas number?
  4 availableReplicas number?
  5 unavailableReplicas number?
  6 conditions *type=DeploymentCondition
  7 readyReplicas number?
  8 collisionCount number
  9 terminatingReplicas number
DeploymentStrategy
  1 type text
  2 rollingUpdate RollingUpdateDeployment
DownwardAPIProjection
  1 items *DownwardAPIVolumeFile
DownwardAPIVolumeFile
  1 path text
  2 fieldRef ObjectFieldSelector
  3 resourceFieldRef ResourceFieldSelector
  4 mode number
DownwardAPIVolumeSource
  1 items *DownwardAPIVolumeFile
  2 defaultMode number
EmptyDirVolumeSource
  1 medium text
  2 sizeLimit quantity
Endpoint
  1 addresses *=text
  2 conditions EndpointConditions
  3 hostname text
  4 targetRef ObjectReference
  5 deprecatedTopology map:text
  6 nodeName text
  7 zone text
  8 hints EndpointHints
EndpointAddress !
  1 ip text
  2 targetRef ObjectReference
  3 hostname text
  4 nodeName text
EndpointConditions
  1 ready flag
  2 serving flag
  3 terminating flag
EndpointHints
  1 forZones *ForZone
  2 forNodes *ForNode
EndpointPort !
  1 name text
  2 port number
  3 protocol text
  4 appProtocol text
EndpointSlice
  1 metadata ObjectMeta
  2 endpoints *Endpoint
  3 ports *discovery.EndpointPort
  4 addressType text
EndpointSubset
  1 addresses *EndpointAddress
  2 notReadyAddresses *EndpointAddress
  3 ports *EndpointPort
Endpoints
  1 metadata ObjectMeta
  2 subsets *EndpointSubset
EnvFromSource
  1 prefix text
  2 configMapRef ConfigMapEnvSource
  3 secretRef SecretEnvSource
EnvVar
  1 name text
  2 value text
  3 valueFrom EnvVarSource
EnvVarSource
  1 fieldRef ObjectFieldSelector
  2 resourceFieldRef ResourceFieldSelector
  3 configMapKeyRef ConfigMapKeySelector
  4 secretKeyRef SecretKeySelector
  5 fileKeyRef FileKeySelector
EphemeralContainer
  1 - Container
  2 targetContainerName text
EphemeralVolumeSource
  1 volumeClaimTemplate PersistentVolumeClaimTemplate
Event
  1 metadata ObjectMeta
  2 involvedObject ObjectReference
  3 reason text
  4 message text
  5 source EventSource
  6 firstTimestamp time
  7 lastTimestamp time
  8 count number?
  9 type text
  10 eventTime micro-time
  11 series EventSeries
  12 action text
  13 related ObjectReference
  14 reportingComponent text
  15 reportingInstance text
EventSeries
  1 count number?
  2 lastObservedTime micro-time
EventSource
  1 component text
  2 host text
ExecAction
  1 command *text
ExternalMetricSource
  1 metric MetricIdentifier
  2 target MetricTarget
ExternalMetricStatus
  1 metric MetricIdentifier
  2 current MetricValueStatus
FCVolumeSource
  1 targetWWNs *text
  2 lun number
  3 fsType text
  4 readOnly flag?
  5 wwids *text
FieldSelectorAttributes
  1 rawSelector text
  2 requirements *FieldSelectorRequirement
FieldSelectorRequirement
  1 key text
  2 operator text
  3 values *text
FileKeySelector !
  1 volumeName text
  2 path text
  3 key text
  4 optional flag
FlexPersistentVolumeSource
  1 driver text
  2 fsType text
  3 secretRef SecretReference
  4 readOnly flag?
  5 options map:text
FlexVolumeSource
  1 driver text
  2 fsType text
  3 secretRef LocalObjectReference
  4 readOnly flag?
  5 options map:text
FlockerVolumeSource
  1 datasetName text
  2 datasetUUID text
ForNode
  1 name text
ForZone
  1 name text
GCEPersistentDiskVolumeSource
  1 pdName text
  2 fsType text
  3 partition number?
  4 readOnly flag?
GRPCAction
  1 port number
  2 service text
GitRepoVolumeSource
  1 repository text
  2 revision text
  3 directory text
GlusterfsPersistentVolumeSource
  1 endpoints text
  2 path text
  3 readOnly flag?
  4 endpointsNamespace text
GlusterfsVolumeSource
  1 endpoints text
  2 path text
  3 readOnly flag?
HPAScalingPolicy
  1 type text
  2 value number
  3 periodSeconds number
HPAScalingRules
  1 selectPolicy text
  2 policies *HPAScalingPolicy
  3 stabilizationWindowSeconds number
  4 tolerance quantity
HTTPGetAction
  1 path text
  2 port int-or-string
  3 host text
  4 scheme text
  5 httpHeaders *HTTPHeader
HTTPHeader
  1 name text
  2 value text
HTTPIngressPath
  1 path text
  2 backend IngressBackend
  3 pathType text
HTTPIngressRuleValue
  1 paths *HTTPIngressPath
HorizontalPodAutoscaler
  1 metadata ObjectMeta
  2 spec HorizontalPodAutoscalerSpec
  3 status HorizontalPodAutoscalerStatus
HorizontalPodAutoscalerBehavior
  1 scaleUp HPAScalingRules
  2 scaleDown HPAScalingRules
HorizontalPodAutoscalerCondition
  1 type text
  2 status text
  3 lastTransitionTime time
  4 reason text
  5 message text
HorizontalPodAutoscalerSpec
  1 scaleTargetRef CrossVersionObjectReference
  2 minReplicas number
  3 maxReplicas number
  4 metrics *MetricSpec
  5 behavior HorizontalPodAutoscalerBehavior
HorizontalPodAutoscalerStatus
  1 observedGeneration number
  2 lastScaleTime time
  3 currentReplicas number?
  4 desiredReplicas number
  5 currentMetrics *MetricStatus
  6 conditions *type=HorizontalPodAutoscalerCondition
HostAlias
  1 ip text
  2 hostnames *text
HostIP
  1 ip text
HostPathVolumeSource
  1 path text
  2 type text
IPBlock
  1 cidr text
  2 except *text
ISCSIPersistentVolumeSource
  1 targetPortal text
  2 iqn text
  3 lun number
  4 iscsiInterface text
  5 fsType text
  6 readOnly flag?
  7 portals *text
  8 chapAuthDiscovery flag?
  10 secretRef SecretReference
  11 chapAuthSession flag?
  12 initiatorName text
ISCSIVolumeSource
  1 targetPortal text
  2 iqn text
  3 lun number
  4 iscsiInterface text
  5 fsType text
  6 readOnly flag?
  7 portals *text
  8 chapAuthDiscovery flag?
  10 secretRef LocalObjectReference
  11 chapAuthSession flag?
  12 initiatorName text
ImageVolumeSource
  1 reference text
  2 pullPolicy text
Ingress
  1 metadata ObjectMeta
  2 spec IngressSpec
  3 status IngressStatus
IngressBackend
  3 resource TypedLocalObjectReference
  4 service IngressServiceBackend
IngressLoadBalancerIngress
  1 ip text
  2 hostname text
  4 ports *IngressPortStatus
IngressLoadBalancerStatus
  1 ingress *IngressLoadBalancerIngress
IngressPortStatus
  1 port number
  2 protocol text
  3 error text
IngressRule
  1 host text
  2 - IngressRuleValue
IngressRuleValue
  1 http HTTPIngressRuleValue
IngressServiceBackend
  1 name text
  2 port ServiceBackendPort
IngressSpec
  1 defaultBackend IngressBackend
  2 tls *IngressTLS
  3 rules *IngressRule
  4 ingressClassName text
IngressStatus
  1 loadBalancer IngressLoadBalancerStatus
IngressTLS
  1 hosts *text
  2 secretName text
Job
  1 metadata ObjectMeta
  2 spec JobSpec
  3 status JobStatus
JobCondition
  1 type text
  2 status text
  3 lastProbeTime time
  4 lastTransitionTime time
  5 reason text
  6 message text
JobSpec
  1 parallelism number
  2 completions number
  3 activeDeadlineSeconds number
  4 selector LabelSelector
  5 manualSelector flag
  6 template PodTemplateSpec
  7 backoffLimit number
  8 ttlSecondsAfterFinished number
  9 completionMode text
  10 suspend flag
  11 podFailurePolicy PodFailurePolicy
  12 backoffLimitPerIndex number
  13 maxFailedIndexes number
  14 podReplacementPolicy text
  15 managedBy text
  16 successPolicy SuccessPolicy
JobStatus
  1 conditions *JobCondition
  2 startTime time
  3 completionTime time
  4 active number?
  5 succeeded number?
  6 failed number?
  7 completedIndexes text
  8 uncountedTerminatedPods UncountedTerminatedPods
  9 ready number
  10 failedIndexes text
  11 terminating number
JobTemplateSpec
  1 metadata ObjectMeta
  2 spec JobSpec
KeyToPath
  1 key text
  2 path text
  3 mode number
LabelSelector !
  1 matchLabels map:text
  2 matchExpressions *LabelSelectorRequirement
LabelSelectorAttributes
  1 rawSelector text
  2 requirements *LabelSelectorRequirement
LabelSelectorRequirement
  1 key text
  2 operator text
  3 values *text
Lease
  1 metadata ObjectMeta
  2 spec LeaseSpec
LeaseSpec
  1 holderIdentity text
  2 leaseDurationSeconds number
  3 acquireTime micro-time
  4 renewTime micro-time
  5 leaseTransitions number
  6 strategy text
  7 preferredHolder text
Lifecycle
  1 postStart LifecycleHandler
  2 preStop LifecycleHandler
  3 stopSignal text
LifecycleHandler
  1 exec ExecAction
  2 httpGet HTTPGetAction
  3 tcpSocket TCPSocketAction
  4 sleep SleepAction
LimitRange
  1 metadata ObjectMeta
  2 spec LimitRangeSpec
LimitRangeItem
  1 type text
  2 max map:quantity
  3 min map:quantity
  4 default map:quantity
  5 defaultRequest map:quantity
  6 maxLimitRequestRatio map:quantity
LimitRangeSpec
  1 limits *LimitRangeItem
LinuxContainerUser
  1 uid number
  2 gid number
  3 supplementalGroups *number
LoadBalancerIngress
  1 ip text
  2 hostname text
  3 ipMode text
  4 ports *PortStatus
LoadBalancerStatus
  1 ingress *LoadBalancerIngress
LocalObjectReference !
  1 name text
LocalSubjectAccessReview
  1 metadata ObjectMeta
  2 spec SubjectAccessReviewSpec
  3 status ignored
LocalVolumeSource
  1 path text
  2 fsType text
MatchCondition
  1 name text
  2 expression text
MetricIdentifier
  1 name text
  2 selector LabelSelector
MetricSpec
  1 type text
  2 object ObjectMetricSource
  3 pods PodsMetricSource
  4 resource ResourceMetricSource
  5 external ExternalMetricSource
  7 containerResource ContainerResourceMetricSource
MetricStatus
  1 type text
  2 object ObjectMetricStatus
  3 pods PodsMetricStatus
  4 resource ResourceMetricStatus
  5 external ExternalMetricStatus
  7 containerResource ContainerResourceMetricStatus
MetricTarget
  1 type text
  2 value quantity
  3 averageValue quantity
  4 averageUtilization number
MetricValueStatus
  1 value quantity
  2 averageValue quantity
  3 averageUtilization number
ModifyVolumeStatus
  1 targetVolumeAttributesClassName text
  2 status text
MutatingWebhook
  1 name text
  2 clientConfig WebhookClientConfig
  3 rules *RuleWithOperations
  4 failurePolicy text
  5 namespaceSelector LabelSelector
  6 sideEffects text
  7 timeoutSeconds number
  8 admissionReviewVersions *text
  9 matchPolicy text
  10 reinvocationPolicy text
  11 objectSelector LabelSelector
  12 matchConditions *name=MatchCondition
MutatingWebhookConfiguration
  1 metadata ObjectMeta
  2 webhooks *name=MutatingWebhook
NFSVolumeSource
  1 server text
  2 path text
  3 readOnly flag?
Namespace
  1 metadata ObjectMeta
  2 spec NamespaceSpec
  3 status NamespaceStatus
NamespaceCondition
  1 type text
  2 status text
  4 lastTransitionTime time
  5 reason text
  6 message text
NamespaceSpec
  1 finalizers *text
NamespaceStatus
  1 phase text
  2 conditions *type=NamespaceCondition
NetworkPolicy
  1 metadata ObjectMeta
  2 spec NetworkPolicySpec
NetworkPolicyEgressRule
  1 ports *NetworkPolicyPort
  2 to *NetworkPolicyPeer
NetworkPolicyIngressRule
  1 ports *NetworkPolicyPort
  2 from *NetworkPolicyPeer
NetworkPolicyPeer
  1 podSelector LabelSelector
  2 namespaceSelector LabelSelector
  3 ipBlock IPBlock
NetworkPolicyPort
  1 protocol text
  2 port int-or-string
  3 endPort number
NetworkPolicySpec
  1 podSelector LabelSelector
  2 ingress *NetworkPolicyIngressRule
  3 egress *NetworkPolicyEgressRule
  4 policyTypes *text
Node
  1 metadata ObjectMeta
  2 spec NodeSpec
  3 status NodeStatus
NodeAddress
  1 type text
  2 address text
NodeAffinity
  1 requiredDuringSchedulingIgnoredDuringExecution NodeSelector
  2 preferredDuringSchedulingIgnoredDuringExecution *PreferredSchedulingTerm
NodeCondition
  1 type text
  2 status text
  3 lastHeartbeatTime time
  4 lastTransitionTime time
  5 reason text
  6 message text
NodeConfigSource
  2 configMap ConfigMapNodeConfigSource
NodeConfigStatus
  1 assigned NodeConfigSource
  2 active NodeConfigSource
  3 lastKnownGood NodeConfigSource
  4 error text
NodeDaemonEndpoints
  1 kubeletEndpoint DaemonEndpoint
NodeFeatures
  1 supplementalGroupsPolicy flag
NodeRuntimeHandler
  1 name text
  2 features NodeRuntimeHandlerFeatures
NodeRuntimeHandlerFeatures
  1 recursiveReadOnlyMounts flag
  2 userNamespaces flag
NodeSelector !
  1 nodeSelectorTerms *NodeSelectorTerm
NodeSelectorRequirement
  1 key text
  2 operator text
  3 values *text
NodeSelectorTerm !
  1 matchExpressions *NodeSelectorRequirement
  2 matchFields *NodeSelectorRequirement
NodeSpec
  1 podCIDR text
  2 externalID text
  3 providerID text
  4 unschedulable flag?
  5 taints *Taint
  6 configSource NodeConfigSource
  7 podCIDRs *=text
NodeStatus
  1 capacity map:quantity
  2 allocatable map:quantity
  3 phase text
  4 conditions *type=NodeCondition
  5 addresses *type=NodeAddress
  6 daemonEndpoints NodeDaemonEndpoints
  7 nodeInfo NodeSystemInfo
  8 images *ContainerImage
  9 volumesInUse *text
  10 volumesAttached *AttachedVolume
  11 config NodeConfigStatus
  12 runtimeHandlers *NodeRuntimeHandler
  13 features NodeFeatures
NodeSwapStatus
  1 capacity number
NodeSystemInfo
  1 machineID text
  2 systemUUID text
  3 bootID text
  4 kernelVersion text
  5 osImage text
  6 containerRuntimeVersion text
  7 kubeletVersion text
  8 kubeProxyVersion text
  9 operatingSystem text
  10 architecture text
  11 swap NodeSwapStatus
NonResourceAttributes
  1 path text
  2 verb text
NonResourceRule
  1 verbs *text
  2 nonResourceURLs *text
ObjectFieldSelector !
  1 apiVersion text
  2 fieldPath text
ObjectMeta
  1 name text
  2 generateName text
  3 namespace text
  4 selfLink text
  5 uid text
  6 resourceVersion text
  7 generation number?
  8 creationTimestamp time
  9 deletionTimestamp time
  10 deletionGracePeriodSeconds number
  11 labels map:text
  12 annotations map:text
  13 ownerReferences *uid=OwnerReference
  14 finalizers *=text
  17 managedFields ignored
ObjectMetricSource
  1 describedObject CrossVersionObjectReference
  2 target MetricTarget
  3 metric MetricIdentifier
ObjectMetricStatus
  1 metric MetricIdentifier
  2 current MetricValueStatus
  3 describedObject CrossVersionObjectReference
ObjectReference !
  1 kind text
  2 namespace text
  3 name text
  4 uid text
  5 apiVersion text
  6 resourceVersion text
  7 fieldPath text
OwnerReference !
  1 kind text
  3 name text
  4 uid text
  5 apiVersion text
  6 controller flag
  7 blockOwnerDeletion flag
PersistentVolume
  1 metadata ObjectMeta
  2 spec PersistentVolumeSpec
  3 status PersistentVolumeStatus
PersistentVolumeClaim
  1 metadata ObjectMeta
  2 spec PersistentVolumeClaimSpec
  3 status PersistentVolumeClaimStatus
PersistentVolumeClaimCondition
  1 type text
  2 status text
  3 lastProbeTime time
  4 lastTransitionTime time
  5 reason text
  6 message text
PersistentVolumeClaimSpec
  1 accessModes *text
  2 resources VolumeResourceRequirements
  3 volumeName text
  4 selector LabelSelector
  5 storageClassName text
  6 volumeMode text
  7 dataSource TypedLocalObjectReference
  8 dataSourceRef TypedObjectReference
  9 volumeAttributesClassName text
PersistentVolumeClaimStatus
  1 phase text
  2 accessModes *text
  3 capacity map:quantity
  4 conditions *type=PersistentVolumeClaimCondition
  5 allocatedResources map:quantity
  7 allocatedResourceStatuses map:text
  8 currentVolumeAttributesClassName text
  9 modifyVolumeStatus ModifyVolumeStatus
PersistentVolumeClaimTemplate
  1 metadata ObjectMeta
  2 spec PersistentVolumeClaimSpec
PersistentVolumeClaimVolumeSource
  1 claimName text
  2 readOnly flag?
PersistentVolumeSource
  1 gcePersistentDisk GCEPersistentDiskVolumeSource
  2 awsElasticBlockStore AWSElasticBlockStoreVolumeSource
  3 hostPath HostPathVolumeSource
  4 glusterfs GlusterfsPersistentVolumeSource
  5 nfs NFSVolumeSource
  6 rbd RBDPersistentVolumeSource
  7 iscsi ISCSIPersistentVolumeSource
  8 cinder CinderPersistentVolumeSource
  9 cephfs CephFSPersistentVolumeSource
  10 fc FCVolumeSource
  11 flocker FlockerVolumeSource
  12 flexVolume FlexPersistentVolumeSource
  13 azureFile AzureFilePersistentVolumeSource
  14 vsphereVolume VsphereVirtualDiskVolumeSource
  15 quobyte QuobyteVolumeSource
  16 azureDisk AzureDiskVolumeSource
  17 photonPersistentDisk PhotonPersistentDiskVolumeSource
  18 portworxVolume PortworxVolumeSource
  19 scaleIO ScaleIOPersistentVolumeSource
  20 local LocalVolumeSource
  21 storageos StorageOSPersistentVolumeSource
  22 csi CSIPersistentVolumeSource
PersistentVolumeSpec
  1 capacity map:quantity
  2 - PersistentVolumeSource
  3 accessModes *text
  4 claimRef ~ObjectReference
  5 persistentVolumeReclaimPolicy text
  6 storageClassName text
  7 mountOptions *text
  8 volumeMode text
  9 nodeAffinity VolumeNodeAffinity
  10 volumeAttributesClassName text
PersistentVolumeStatus
  1 phase text
  2 message text
  3 reason text
  4 lastPhaseTransitionTime time
PhotonPersistentDiskVolumeSource
  1 pdID text
  2 fsType text
Pod
  1 metadata ObjectMeta
  2 spec PodSpec
  3 status PodStatus
PodAffinity
  1 requiredDuringSchedulingIgnoredDuringExecution *PodAffinityTerm
  2 preferredDuringSchedulingIgnoredDuringExecution *WeightedPodAffinityTerm
PodAffinityTerm
  1 labelSelector LabelSelector
  2 namespaces *text
  3 topologyKey text
  4 namespaceSelector LabelSelector
  5 matchLabelKeys *text
  6 mismatchLabelKeys *text
PodAntiAffinity
  1 requiredDuringSchedulingIgnoredDuringExecution *PodAffinityTerm
  2 preferredDuringSchedulingIgnoredDuringExecution *WeightedPodAffinityTerm
PodCertificateProjection
  1 signerName text
  2 keyType text
  3 maxExpirationSeconds number
  4 credentialBundlePath text
  5 keyPath text
  6 certificateChainPath text
PodCondition
  1 type text
  2 status text
  3 lastProbeTime time
  4 lastTransitionTime time
  5 reason text
  6 message text
  7 observedGeneration number?
PodDNSConfig
  1 nameservers *text
  2 searches *text
  3 options *PodDNSConfigOption
PodDNSConfigOption
  1 name text
  2 value text
PodDisruptionBudget
  1 metadata ObjectMeta
  2 spec PodDisruptionBudgetSpec
  3 status PodDisruptionBudgetStatus
PodDisruptionBudgetSpec
  1 minAvailable int-or-string
  2 selector LabelSelector
  3 maxUnavailable int-or-string
  4 unhealthyPodEvictionPolicy text
PodDisruptionBudgetStatus
  1 observedGeneration number?
  2 disruptedPods map:time
  3 disruptionsAllowed number
  4 currentHealthy number
  5 desiredHealthy number
  6 expectedPods number
  7 conditions *type=Condition
PodExtendedResourceClaimStatus
  1 requestMappings *ContainerExtendedResourceRequest
  2 resourceClaimName text
PodFailurePolicy
  1 rules *PodFailurePolicyRule
PodFailurePolicyOnExitCodesRequirement
  1 containerName text
  2 operator text
  3 values *=number
PodFailurePolicyOnPodConditionsPattern
  1 type text
  2 status text
PodFailurePolicyRule
  1 action text
  2 onExitCodes PodFailurePolicyOnExitCodesRequirement
  3 onPodConditions *PodFailurePolicyOnPodConditionsPattern
PodIP
  1 ip text
PodOS
  1 name text
PodReadinessGate
  1 conditionType text
PodResourceClaim
  1 name text
  3 resourceClaimName text
  4 resourceClaimTemplateName text
PodResourceClaimStatus
  1 name text
  2 resourceClaimName text
PodSchedulingGate
  1 name text
PodSecurityContext
  1 seLinuxOptions SELinuxOptions
  2 runAsUser number
  3 runAsNonRoot flag
  4 supplementalGroups *number
  5 fsGroup number
  6 runAsGroup number
  7 sysctls *Sysctl
  8 windowsOptions WindowsSecurityContextOptions
  9 fsGroupChangePolicy text
  10 seccompProfile SeccompProfile
  11 appArmorProfile AppArmorProfile
  12 supplementalGroupsPolicy text
  13 seLinuxChangePolicy text
PodSpec
  1 volumes *name=Volume
  2 containers *name=Container
  3 restartPolicy text
  4 terminationGracePeriodSeconds number
  5 activeDeadlineSeconds number
  6 dnsPolicy text
  7 nodeSelector !map:text
  8 serviceAccountName text
  9 serviceAccount text
  10 nodeName text
  11 hostNetwork flag?
  12 hostPID flag?
  13 hostIPC flag?
  14 securityContext PodSecurityContext
  15 imagePullSecrets *name=LocalObjectReference
  16 hostname text
  17 subdomain text
  18 affinity Affinity
  19 schedulerName text
  20 initContainers *name=Container
  21 automountServiceAccountToken flag
  22 tolerations *Toleration
  23 hostAliases *ip=HostAlias
  24 priorityClassName text
  25 priority number
  26 dnsConfig PodDNSConfig
  27 shareProcessNamespace flag
  28 readinessGates *PodReadinessGate
  29 runtimeClassName text
  30 enableServiceLinks flag
  31 preemptionPolicy text
  32 overhead map:quantity
  33 topologySpreadConstraints *topologyKey,whenUnsatisfiable=TopologySpreadConstraint
  34 ephemeralContainers *name=EphemeralContainer
  35 setHostnameAsFQDN flag
  36 os PodOS
  37 hostUsers flag
  38 schedulingGates *name=PodSchedulingGate
  39 resourceClaims *name=PodResourceClaim
  40 resources ResourceRequirements
  41 hostnameOverride text
PodStatus
  1 phase text
  2 conditions *type=PodCondition
  3 message text
  4 reason text
  5 hostIP text
  6 podIP text
  7 startTime time
  8 containerStatuses *ContainerStatus
  9 qosClass text
  10 initContainerStatuses *ContainerStatus
  11 nominatedNodeName text
  12 podIPs *ip=PodIP
  13 ephemeralContainerStatuses *ContainerStatus
  14 resize text
  15 resourceClaimStatuses *name=PodResourceClaimStatus
  16 hostIPs *HostIP
  17 observedGeneration number?
  18 extendedResourceClaimStatus PodExtendedResourceClaimStatus
PodTemplate
  1 metadata ObjectMeta
  2 template PodTemplateSpec
PodTemplateSpec
  1 metadata ObjectMeta
  2 spec PodSpec
PodsMetricSource
  1 metric MetricIdentifier
  2 target MetricTarget
PodsMetricStatus
  1 metric MetricIdentifier
  2 current MetricValueStatus
PolicyRule
  1 verbs *text
  2 apiGroups *text
  3 resources *text
  4 resourceNames *text
  5 nonResourceURLs *text
PortStatus
  1 port number
  2 protocol text
  3 error text
PortworxVolumeSource
  1 volumeID text
  2 fsType text
  3 readOnly flag?
Preconditions
  1 uid text
  2 resourceVersion text
PreferredSchedulingTerm
  1 weight number
  2 preference NodeSelectorTerm
PriorityClass
  1 metadata ObjectMeta
  2 value number
  3 globalDefault flag?
  4 description text
  5 preemptionPolicy text
Probe
  1 - ProbeHandler
  2 initialDelaySeconds number?
  3 timeoutSeconds number?
  4 periodSeconds number?
  5 successThreshold number?
  6 failureThreshold number?
  7 terminationGracePeriodSeconds number
ProbeHandler
  1 exec ExecAction
  2 httpGet HTTPGetAction
  3 tcpSocket TCPSocketAction
  4 grpc GRPCAction
ProjectedVolumeSource
  1 sources *VolumeProjection
  2 defaultMode number
QuobyteVolumeSource
  1 registry text
  2 volume text
  3 readOnly flag?
  4 user text
  5 group text
  6 tenant text
RBDPersistentVolumeSource
  1 monitors *text
  2 image text
  3 fsType text
  4 pool text
  5 user text
  6 keyring text
  7 secretRef SecretReference
  8 readOnly flag?
RBDVolumeSource
  1 monitors *text
  2 image text
  3 fsType text
  4 pool text
  5 user text
  6 keyring text
  7 secretRef LocalObjectReference
  8 readOnly flag?
ReplicaSet
  1 metadata ObjectMeta
  2 spec ReplicaSetSpec
  3 status ReplicaSetStatus
ReplicaSetCondition
  1 type text
  2 status text
  3 lastTransitionTime time
  4 reason text
  5 message text
ReplicaSetSpec
  1 replicas number
  2 selector LabelSelector
  3 template PodTemplateSpec
  4 minReadySeconds number?
ReplicaSetStatus
  1 replicas number
  2 fullyLabeledReplicas number?
  3 observedGeneration number?
  4 readyReplicas number?
  5 availableReplicas number?
  6 conditions *type=ReplicaSetCondition
  7 terminatingReplicas number
ReplicationController
  1 metadata ObjectMeta
  2 spec ReplicationControllerSpec
  3 status ReplicationControllerStatus
ReplicationControllerCondition
  1 type text
  2 status text
  3 lastTransitionTime time
  4 reason text
  5 message text
ReplicationControllerSpec
  1 replicas number
  2 selector !map:text
  3 template PodTemplateSpec
  4 minReadySeconds number?
ReplicationControllerStatus
  1 replicas number
  2 fullyLabeledReplicas number?
  3 observedGeneration number?
  4 readyReplicas number?
  5 availableReplicas number?
  6 conditions *type=ReplicationControllerCondition
ResourceAttributes
  1 namespace text
  2 verb text
  3 group text
  4 version text
  5 resource text
  6 subresource text
  7 name text
  8 fieldSelector FieldSelectorAttributes
  9 labelSelector LabelSelectorAttributes
ResourceClaim
  1 name text
  2 request text
ResourceFieldSelector !
  1 containerName text
  2 resource text
  3 divisor quantity
ResourceHealth
  1 resourceID text
  2 health text
ResourceMetricSource
  1 name text
  2 target MetricTarget
ResourceMetricStatus
  1 name text
  2 current MetricValueStatus
ResourceQuota
  1 metadata ObjectMeta
  2 spec ResourceQuotaSpec
  3 status ResourceQuotaStatus
ResourceQuotaSpec
  1 hard map:quantity
  2 scopes *text
  3 scopeSelector ScopeSelector
ResourceQuotaStatus
  1 hard map:quantity
  2 used map:quantity
ResourceRequirements
  1 limits map:quantity
  2 requests map:quantity
  3 claims *name=ResourceClaim
ResourceRule
  1 verbs *text
  2 apiGroups *text
  3 resources *text
  4 resourceNames *text
ResourceStatus
  1 name text
  2 resources *resourceID=ResourceHealth
Role
  1 metadata ObjectMeta
  2 rules *PolicyRule
RoleBinding
  1 metadata ObjectMeta
  2 subjects *Subject
  3 roleRef RoleRef
RoleRef !
  1 apiGroup text
  2 kind text
  3 name text
RollingUpdateDaemonSet
  1 maxUnavailable int-or-string
  2 maxSurge int-or-string
RollingUpdateDeployment
  1 maxUnavailable int-or-string
  2 maxSurge int-or-string
RollingUpdateStatefulSetStrategy
  1 partition number
  2 maxUnavailable int-or-string
Rule
  1 apiGroups *text
  2 apiVersions *text
  3 resources *text
  4 scope text
RuleWithOperations
  1 operations *text
  2 - Rule
SELinuxOptions
  1 user text
  2 role text
  3 type text
  4 level text
ScaleIOPersistentVolumeSource
  1 gateway text
  2 system text
  3 secretRef SecretReference
  4 sslEnabled flag?
  5 protectionDomain text
  6 storagePool text
  7 storageMode text
  8 volumeName text
  9 fsType text
  10 readOnly flag?
ScaleIOVolumeSource
  1 gateway text
  2 system text
  3 secretRef LocalObjectReference
  4 sslEnabled flag?
  5 protectionDomain text
  6 storagePool text
  7 storageMode text
  8 volumeName text
  9 fsType text
  10 readOnly flag?
ScopeSelector !
  1 matchExpressions *ScopedResourceSelectorRequirement
ScopedResourceSelectorRequirement
  1 scopeName text
  2 operator text
  3 values *text
SeccompProfile
  1 type text
  2 localhostProfile text
Secret
  1 metadata ObjectMeta
  2 data map:bytes
  3 type text
  4 stringData map:text
  5 immutable flag
SecretEnvSource
  1 - LocalObjectReference
  2 optional flag
SecretKeySelector !
  1 - LocalObjectReference
  2 key text
  3 optional flag
SecretProjection
  1 - LocalObjectReference
  2 items *KeyToPath
  4 optional flag
SecretReference !
  1 name text
  2 namespace text
SecretVolumeSource
  1 secretName text
  2 items *KeyToPath
  3 defaultMode number
  4 optional flag
SecurityContext
  1 capabilities Capabilities
  2 privileged flag
  3 seLinuxOptions SELinuxOptions
  4 runAsUser number
  5 runAsNonRoot flag
  6 readOnlyRootFilesystem flag
  7 allowPrivilegeEscalation flag
  8 runAsGroup number
  9 procMount text
  10 windowsOptions WindowsSecurityContextOptions
  11 seccompProfile SeccompProfile
  12 appArmorProfile AppArmorProfile
SelfSubjectAccessReview
  1 metadata ObjectMeta
  2 spec SelfSubjectAccessReviewSpec
  3 status SubjectAccessReviewStatus
SelfSubjectAccessReviewSpec
  1 resourceAttributes ResourceAttributes
  2 nonResourceAttributes NonResourceAttributes
SelfSubjectReview
  1 metadata ObjectMeta
  2 status SelfSubjectReviewStatus
SelfSubjectReviewStatus
  1 userInfo UserInfo
SelfSubjectRulesReview
  1 metadata ObjectMeta
  2 spec SelfSubjectRulesReviewSpec
  3 status SubjectRulesReviewStatus
SelfSubjectRulesReviewSpec
  1 namespace text
Service
  1 metadata ObjectMeta
  2 spec ServiceSpec
  3 status ServiceStatus
ServiceAccount
  1 metadata ObjectMeta
  2 secrets *name=ObjectReference
  3 imagePullSecrets *LocalObjectReference
  4 automountServiceAccountToken flag
ServiceAccountTokenProjection
  1 audience text
  2 expirationSeconds number
  3 path text
ServiceBackendPort !
  1 name text
  2 number number?
ServicePort
  1 name text
  2 protocol text=TCP
  3 port number
  4 targetPort int-or-string
  5 nodePort number?
  6 appProtocol text
ServiceReference
  1 namespace text
  2 name text
  3 path text
  4 port number
ServiceSpec
  1 ports *port,protocol=ServicePort
  2 selector !map:text
  3 clusterIP text
  4 type text
  5 externalIPs *text
  7 sessionAffinity text
  8 loadBalancerIP text
  9 loadBalancerSourceRanges *text
  10 externalName text
  11 externalTrafficPolicy text
  12 healthCheckNodePort number?
  13 publishNotReadyAddresses flag?
  14 sessionAffinityConfig SessionAffinityConfig
  17 ipFamilyPolicy text
  18 clusterIPs *text
  19 ipFamilies *text
  20 allocateLoadBalancerNodePorts flag
  21 loadBalancerClass text
  22 internalTrafficPolicy text
  23 trafficDistribution text
ServiceStatus
  1 loadBalancer LoadBalancerStatus
  2 conditions *type=Condition
SessionAffinityConfig
  1 clientIP ClientIPConfig
SleepAction
  1 seconds number
StatefulSet
  1 metadata ObjectMeta
  2 spec StatefulSetSpec
  3 status StatefulSetStatus
StatefulSetCondition
  1 type text
  2 status text
  3 lastTransitionTime time
  4 reason text
  5 message text
StatefulSetOrdinals
  1 start number
StatefulSetPersistentVolumeClaimRetentionPolicy
  1 whenDeleted text
  2 whenScaled text
StatefulSetSpec
  1 replicas number
  2 selector LabelSelector
  3 template PodTemplateSpec
  4 volumeClaimTemplates *PersistentVolumeClaim
  5 serviceName text
  6 podManagementPolicy text
  7 updateStrategy StatefulSetUpdateStrategy
  8 revisionHistoryLimit number
  9 minReadySeconds number?
  10 persistentVolumeClaimRetentionPolicy StatefulSetPersistentVolumeClaimRetentionPolicy
  11 ordinals StatefulSetOrdinals
StatefulSetStatus
  1 observedGeneration number?
  2 replicas number
  3 readyReplicas number?
  4 currentReplicas number?
  5 updatedReplicas number?
  6 currentRevision text
  7 updateRevision text
  9 collisionCount number
  10 conditions *type=StatefulSetCondition
  11 availableReplicas number
StatefulSetUpdateStrategy
  1 type text
  2 rollingUpdate RollingUpdateStatefulSetStrategy
StorageClass
  1 metadata ObjectMeta
  2 provisioner text
  3 parameters map:text
  4 reclaimPolicy text
  5 mountOptions *text
  6 allowVolumeExpansion flag
  7 volumeBindingMode text
  8 allowedTopologies *TopologySelectorTerm
StorageOSPersistentVolumeSource
  1 volumeName text
  2 volumeNamespace text
  3 fsType text
  4 readOnly flag?
  5 secretRef ObjectReference
StorageOSVolumeSource
  1 volumeName text
  2 volumeNamespace text
  3 fsType text
  4 readOnly flag?
  5 secretRef LocalObjectReference
Subject !
  1 kind text
  2 apiGroup text
  3 name text
  4 namespace text
SubjectAccessReview
  1 metadata ObjectMeta
  2 spec SubjectAccessReviewSpec
  3 status SubjectAccessReviewStatus
SubjectAccessReviewSpec
  1 resourceAttributes ResourceAttributes
  2 nonResourceAttributes NonResourceAttributes
  3 user text
  4 groups *text
  5 extra ignored
  6 uid text
SubjectAccessReviewStatus
  1 allowed flag
  2 reason text
  3 evaluationError text
  4 denied flag?
SubjectRulesReviewStatus
  1 resourceRules *ResourceRule
  2 nonResourceRules *NonResourceRule
  3 incomplete flag
  4 evaluationError text
SuccessPolicy
  1 rules *SuccessPolicyRule
SuccessPolicyRule
  1 succeededIndexes text
  2 succeededCount number
Sysctl
  1 name text
  2 value text
TCPSocketAction
  1 port int-or-string
  2 host text
Taint
  1 key text
  2 value text
  3 effect text
  4 timeAdded time
TokenRequest
  1 metadata ObjectMeta
  2 spec TokenRequestSpec
  3 status ignored
TokenRequestSpec
  1 audiences *text
  3 boundObjectRef BoundObjectReference
  4 expirationSeconds number
TokenReview
  1 metadata ObjectMeta
  2 spec TokenReviewSpec
  3 status ignored
TokenReviewSpec
  1 token text
  2 audiences *text
Toleration
  1 key text
  2 operator text
  3 value text
  4 effect text
  5 tolerationSeconds number
TopologySelectorLabelRequirement
  1 key text
  2 values *text
TopologySelectorTerm !
  1 matchLabelExpressions *TopologySelectorLabelRequirement
TopologySpreadConstraint
  1 maxSkew number
  2 topologyKey text
  3 whenUnsatisfiable text
  4 labelSelector LabelSelector
  5 minDomains number
  6 nodeAffinityPolicy text
  7 nodeTaintsPolicy text
  8 matchLabelKeys *text
TypedLocalObjectReference !
  1 apiGroup text
  2 kind text
  3 name text
TypedObjectReference
  1 apiGroup text
  2 kind text
  3 name text
  4 namespace text
UncountedTerminatedPods
  1 succeeded *=text
  2 failed *=text
UserInfo
  1 username text
  2 uid text
  3 groups *text
  4 extra ignored
ValidatingWebhook
  1 name text
  2 clientConfig WebhookClientConfig
  3 rules *RuleWithOperations
  4 failurePolicy text
  5 namespaceSelector LabelSelector
  6 sideEffects text
  7 timeoutSeconds number
  8 admissionReviewVersions *text
  9 matchPolicy text
  10 objectSelector LabelSelector
  11 matchConditions *name=MatchCondition
ValidatingWebhookConfiguration
  1 metadata ObjectMeta
  2 webhooks *name=ValidatingWebhook
Volume
  1 name text
  2 - VolumeSource
VolumeDevice
  1 name text
  2 devicePath text
VolumeMount
  1 name text
  2 readOnly flag?
  3 mountPath text
  4 subPath text
  5 mountPropagation text
  6 subPathExpr text
  7 recursiveReadOnly text
VolumeMountStatus
  1 name text
  2 mountPath text
  3 readOnly flag?
  4 recursiveReadOnly text
VolumeNodeAffinity
  1 required NodeSelector
VolumeProjection
  1 secret SecretProjection
  2 downwardAPI DownwardAPIProjection
  3 configMap ConfigMapProjection
  4 serviceAccountToken ServiceAccountTokenProjection
  5 clusterTrustBundle ClusterTrustBundleProjection
  6 podCertificate PodCertificateProjection
VolumeResourceRequirements
  1 limits map:quantity
  2 requests map:quantity
VolumeSource
  1 hostPath HostPathVolumeSource
  2 emptyDir EmptyDirVolumeSource
  3 gcePersistentDisk GCEPersistentDiskVolumeSource
  4 awsElasticBlockStore AWSElasticBlockStoreVolumeSource
  5 gitRepo GitRepoVolumeSource
  6 secret SecretVolumeSource
  7 nfs NFSVolumeSource
  8 iscsi ISCSIVolumeSource
  9 glusterfs GlusterfsVolumeSource
  10 persistentVolumeClaim PersistentVolumeClaimVolumeSource
  11 rbd RBDVolumeSource
  12 flexVolume FlexVolumeSource
  13 cinder CinderVolumeSource
  14 cephfs CephFSVolumeSource
  15 flocker FlockerVolumeSource
  16 downwardAPI DownwardAPIVolumeSource
  17 fc FCVolumeSource
  18 azureFile AzureFileVolumeSource
  19 configMap ConfigMapVolumeSource
  20 vsphereVolume VsphereVirtualDiskVolumeSource
  21 quobyte QuobyteVolumeSource
  22 azureDisk AzureDiskVolumeSource
  23 photonPersistentDisk PhotonPersistentDiskVolumeSource
  24 portworxVolume PortworxVolumeSource
  25 scaleIO ScaleIOVolumeSource
  26 projected ProjectedVolumeSource
  27 storageos StorageOSVolumeSource
  28 csi CSIVolumeSource
  29 ephemeral EphemeralVolumeSource
  30 image ImageVolumeSource
VsphereVirtualDiskVolumeSource
  1 volumePath text
  2 fsType text
  3 storagePolicyName text
  4 storagePolicyID text
WebhookClientConfig
  1 service ServiceReference
  2 caBundle bytes
  3 url text
WeightedPodAffinityTerm
  1 weight number
  2 podAffinityTerm PodAffinityTerm
WindowsSecurityContextOptions
  1 gmsaCredentialSpecName text
  2 gmsaCredentialSpec text
  3 runAsUserName text
  4 hostProcess flag
discovery.EndpointPort !
  1 name text
  2 protocol text
  3 port number
  4 appProtocol text
events.Event
  1 metadata ObjectMeta
  2 eventTime micro-time
  3 series events.EventSeries
  4 reportingController text
  5 reportingInstance text
  6 action text
  7 reason text
  8 regarding ObjectReference
  9 related ObjectReference
  10 note text
  11 type text
  12 deprecatedSource EventSource
  13 deprecatedFirstTimestamp time
  14 deprecatedLastTimestamp time
  15 deprecatedCount number?
events.EventSeries
  1 count number
  2 lastObservedTime micro-time
)";

} // namespace troupe::k8s
