{{/*
Refuses a release beside another one that serves the same namespaces: two
operators would work against each other. Helm asks the cluster at `install` and
`upgrade`; `helm template` has no cluster to ask and renders. A release serves
the subjects of its bindings while its Deployment has replicas. The bindings are
listed where this chart creates some, so the account of Helm may list them too.
*/}}
{{- define "grove.refuseOverlap" -}}
{{- if and .Values.rbac.create (gt (int .Values.replicaCount) 0) }}
{{- $bindings := list }}
{{- if or .Values.webhooks.enabled (not .Values.watchNamespaces) }}
{{- $bindings = dig "items" list (lookup "rbac.authorization.k8s.io/v1" "ClusterRoleBinding" "" "") }}
{{- end }}
{{- range .Values.watchNamespaces }}
{{- $bindings = concat $bindings (dig "items" list (lookup "rbac.authorization.k8s.io/v1" "RoleBinding" . "")) }}
{{- end }}
{{- range $bindings }}
{{- include "grove.refuseBeside" (list $ .metadata (.subjects | default list)) }}
{{- end }}
{{- end }}
{{- end }}

{{/*
For (list . metadata subjects) of a binding. It has the name of the operator's
Deployment; the bindings of a release's other rights have longer names.
*/}}
{{- define "grove.refuseBeside" -}}
{{- $release := (index . 0).Release }}
{{- $own := printf "grove:system:%s" (include "grove.fullname" (index . 0)) }}
{{- $subjects := index . 2 }}
{{- with index . 1 }}
{{- $component := dig "labels" "app.kubernetes.io/component" "" . }}
{{- $of := dig "annotations" "meta.helm.sh/release-name" "" . }}
{{- $in := dig "annotations" "meta.helm.sh/release-namespace" "" . }}
{{- $isOwn := or (eq .name $own) (and (eq $of $release.Name) (eq $in $release.Namespace)) }}
{{- if and (hasPrefix "grove:system:" .name) (eq $component "operator") (not $isOwn) }}
{{- $name := trimPrefix "grove:system:" .name }}
{{- $place := .namespace | default "all namespaces" }}
{{- range $subjects }}
{{- $home := .namespace | default $release.Namespace }}
{{- $deployment := lookup "apps/v1" "Deployment" $home $name }}
{{- if gt (int (dig "spec" "replicas" 0 $deployment)) 0 }}
{{- fail (printf "operator %s in namespace %s serves %s already, and two operators would work against each other: uninstall that release, pause it with replicaCount 0, or give both releases different watchNamespaces" $name $home $place) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
