{{/*
Only what the operator's requests need. tests/rights compares this list with
what the operator asked during all tests, and docs/operations.md explains it.
get everywhere: after a conflict the object is read once, live.
list, watch: one watch per kind, in all namespaces or in each of a list.
*/}}
{{- define "grove.rules" -}}
# Users make and remove PodCliqueSets; the operator patches its finalizer.
- apiGroups: [grove.io]
  resources: [podcliquesets]
  verbs: [get, list, watch, patch]
# Children of a PodCliqueSet: made, corrected by PUT, removed; the finalizer
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
# change the owner's finalizers. A PodGang owns nothing.
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
# Never read. The pods of a workload get a Role with it, and nobody may grant
# what he does not hold; get, list and watch on pods are granted likewise.
- apiGroups: [""]
  resources: [pods/status]
  verbs: [get, list, watch]
# The headless Service and the ServiceAccount of a workload; what differs is
# patched.
- apiGroups: [""]
  resources: [services, serviceaccounts]
  verbs: [get, list, watch, create, patch, delete]
# The Role of a workload's pods and its binding. Without escalate and bind:
# the operator cannot grant more than the two rules on pods above.
- apiGroups: [rbac.authorization.k8s.io]
  resources: [roles, rolebindings]
  verbs: [get, list, watch, create, patch, delete]
# Said once each, under a name of its own, and never changed afterwards.
- apiGroups: [""]
  resources: [events]
  verbs: [create]
{{- end }}
