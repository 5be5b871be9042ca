{{/*
Only rights that the operator's requests need. tests/rights compares this list
with the requests of all tests, and docs/operations.md explains it.
get everywhere: after a conflict the object is read once, live.
list, watch: one watch per kind, in all namespaces or in each of a list.

An account that may create pods may run them as any account of their namespace,
so the operator's token is worth as much as the strongest account of the
namespaces that it serves. It cannot grant rights: no rule is about
ServiceAccounts, Roles or bindings, and the only Secret is that of its own
webhook. In configurations of webhooks it may change the trusted CA (at the end).
*/}}
{{- define "grove.rules" -}}
# Users create and delete PodCliqueSets; the operator patches its finalizer, and
# an annotation of a set that is deleted with --cascade=orphan. It deletes a job
# that is over when its ttlAfterFinished has passed.
- apiGroups: [grove.io]
  resources: [podcliquesets]
  verbs: [get, list, watch, patch, delete]
# Children of a PodCliqueSet: created, corrected by PUT, deleted; the finalizer
# is patched.
- apiGroups: [grove.io]
  resources: [podcliquescalinggroups, podcliques]
  verbs: [get, list, watch, create, update, patch, delete]
# A PodGang has no finalizer, so nothing patches it.
- apiGroups: [scheduler.grove.io]
  resources: [podgangs]
  verbs: [get, list, watch, create, update, delete]
# A status is written by PUT.
- apiGroups: [grove.io]
  resources:
    - podcliquesets/status
    - podcliquescalinggroups/status
    - podcliques/status
  verbs: [update]
- apiGroups: [scheduler.grove.io]
  resources: [podgangs/status]
  verbs: [update]
# Owner references carry blockOwnerDeletion. Where the admission plugin
# OwnerReferencesPermissionEnforcement is on, setting that needs the right to
# change the owner's finalizers. A PodGang owns the objects for schedulers.
- apiGroups: [grove.io]
  resources:
    - podcliquesets/finalizers
    - podcliquescalinggroups/finalizers
    - podcliques/finalizers
  verbs: [update]
# A pod is never replaced as a whole: its gate and labels are patched.
- apiGroups: [""]
  resources: [pods]
  verbs: [get, list, watch, create, patch, delete]
# The headless Service of a workload; differences are patched.
- apiGroups: [""]
  resources: [services]
  verbs: [get, list, watch, create, patch, delete]
# The autoscalers of cliques and scaling groups; differences are patched.
- apiGroups: [autoscaling]
  resources: [horizontalpodautoscalers]
  verbs: [get, list, watch, create, patch, delete]
# The pod templates of each accepted update; the number of one is patched.
- apiGroups: [apps]
  resources: [controllerrevisions]
  verbs: [get, list, watch, create, patch, delete]
# The resource claims that pods of a workload share; their owner and labels are
# patched.
- apiGroups: [resource.k8s.io]
  resources: [resourceclaims]
  verbs: [get, list, watch, create, patch, delete]
# The templates of such claims: users', and those of NVIDIA's driver.
- apiGroups: [resource.k8s.io]
  resources: [resourceclaimtemplates]
  verbs: [get, list, watch]
{{- if dig "network" "autoMNNVLEnabled" false .Values.config }}
# The ComputeDomains of GPU pods that share NVLink over nodes; finalizer, owner
# and labels are patched.
- apiGroups: [resource.nvidia.com]
  resources: [computedomains]
  verbs: [get, list, watch, create, patch, delete]
{{- end }}
{{- $groups := dict "kai-scheduler" "scheduling.run.ai" "volcano" "scheduling.volcano.sh" }}
{{- $used := list }}
{{- $kubernetes := false }}
{{- range (.Values.config.scheduler | default dict).profiles }}
{{- $group := get $groups (.backend | default .name) }}
{{- if eq (.backend | default .name) "kubernetes" }}{{ $kubernetes = true }}{{ end }}
{{- if and $group (not (has $group $used)) }}{{ $used = append $used $group }}{{ end }}
{{- end }}
{{- range $used }}
# The PodGroup of a gang for the scheduler; it is deleted with its PodGang.
- apiGroups: [{{ . }}]
  resources: [podgroups]
  verbs: [get, list, watch, create, update]
{{- end }}
{{- if $kubernetes }}
# The number of pods of a PodGroup is patched; for other changes the PodGroup is
# recreated.
- apiGroups: [scheduling.k8s.io]
  resources: [podgroups]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [scheduling.k8s.io]
  resources: [compositepodgroups]
  verbs: [get, list, watch, create, delete]
- apiGroups: [scheduling.k8s.io]
  resources: [workloads]
  verbs: [get, list, watch, create]
{{- end }}
{{- if dig "queueing" "kueue" "enabled" false .Values.config }}
# The Workloads by which gangs ask Kueue for quota. Their status says when it is
# given back.
- apiGroups: [kueue.x-k8s.io]
  resources: [workloads]
  verbs: [get, list, watch, create, update, delete]
- apiGroups: [kueue.x-k8s.io]
  resources: [workloads/status]
  verbs: [update]
{{- end }}
{{- if or $used $kubernetes (dig "queueing" "kueue" "enabled" false .Values.config) }}
- apiGroups: [scheduler.grove.io]
  resources: [podgangs/finalizers]
  verbs: [update]
{{- end }}
# Each event has its own name; a continuing warning is patched.
- apiGroups: [events.k8s.io]
  resources: [events]
  verbs: [create, patch]
{{- end }}

{{/*
Only for an operator of all namespaces: a Role cannot have these rules. Without
them PodGangs have no placementScore, ClusterTopologyBindings no status and no
Topology of KAI Scheduler, missing queues are not reported, and
stuckPodTimeoutOnReadyNode has no effect; there is no other difference.
*/}}
{{- define "grove.clusterRules" -}}
# Topology and capacity of nodes, their labels, and whether they are Ready.
- apiGroups: [""]
  resources: [nodes]
  verbs: [get, list, watch]
# Users write ClusterTopologyBindings; their status is written by PUT.
- apiGroups: [grove.io]
  resources: [clustertopologybindings]
  verbs: [get, list, watch]
- apiGroups: [grove.io]
  resources: [clustertopologybindings/status]
  verbs: [update]
{{- $groups := dict "kai-scheduler" "scheduling.run.ai" "kai-pod-grouper" "scheduling.run.ai" "volcano" "scheduling.volcano.sh" }}
{{- $used := list }}
{{- range (.Values.config.scheduler | default dict).profiles }}
{{- $group := get $groups (.backend | default .name) }}
{{- if and $group (not (has $group $used)) }}{{ $used = append $used $group }}{{ end }}
{{- end }}
{{- range $used }}
# Whether the queue of a workload exists.
- apiGroups: [{{ . }}]
  resources: [queues]
  verbs: [get, list, watch]
{{- end }}
{{- if dig "queueing" "kueue" "enabled" false .Values.config }}
# The nodes for which Kueue has reserved quota, and priorities in its queues.
- apiGroups: [kueue.x-k8s.io]
  resources: [resourceflavors, workloadpriorityclasses]
  verbs: [get, list, watch]
{{- end }}
{{- if has "scheduling.run.ai" $used }}
# The Topology of a ClusterTopologyBinding for KAI Scheduler. Its levels are
# immutable: with others it is deleted and created again. The owner's finalizers
# are as above.
- apiGroups: [kai.scheduler]
  resources: [topologies]
  verbs: [get, list, watch, create, delete]
- apiGroups: [grove.io]
  resources: [clustertopologybindings/finalizers]
  verbs: [update]
{{- end }}
{{- end }}


{{/* In the release's own namespace: the leader's Lease, and the webhook's certificate. */}}
{{- define "grove.ownRules" -}}
{{- if dig "leaderElection" "enabled" false .Values.config }}
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  resourceNames: [{{ include "grove.leaseName" . }}]
  verbs: [get, list, watch, update]
# A new object has no name when the request is authorized.
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  verbs: [create]
{{- end }}
{{- if .Values.webhooks.enabled }}
# This one Secret. In mode auto the chart creates it and the operator fills it in.
- apiGroups: [""]
  resources: [secrets]
  resourceNames: [{{ include "grove.secretName" . }}]
  {{- if eq .Values.webhooks.certificates.mode "auto" }}
  verbs: [get, list, watch, update]
  {{- else }}
  verbs: [get, list, watch]
  {{- end }}
{{- end }}
{{- end }}

{{/*
The CA that API servers trust when they call the webhook: the caBundle of these
configurations. RBAC cannot restrict `patch` to this field: webhookpolicy.yaml
refuses other changes, such as the webhook's address and its rules. In mode
manual there is neither this role nor the policy.
*/}}
{{- define "grove.webhookRules" -}}
- apiGroups: [admissionregistration.k8s.io]
  resources: [mutatingwebhookconfigurations]
  resourceNames:
    - {{ include "grove.webhookConfiguration" (list . "podcliqueset-defaulting-webhook") }}
  verbs: [get, list, watch, patch]
- apiGroups: [admissionregistration.k8s.io]
  resources: [validatingwebhookconfigurations]
  resourceNames:
    {{- include "grove.validatingConfigurations" . | nindent 4 }}
  verbs: [get, list, watch, patch]
{{- end }}
