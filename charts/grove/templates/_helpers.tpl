{{/* Name of every object. Grove's does not depend on the release's name. */}}
{{- define "grove.fullname" -}}
{{- .Values.fullnameOverride | default .Values.nameOverride | default "grove-operator" | trunc 63 | trimSuffix "-" }}
{{- end }}

{{/*
Never `default`: every pod of the namespace that names no account runs as that
account, and would have the operator's rights.
*/}}
{{- define "grove.serviceAccountName" -}}
{{- $name := .Values.serviceAccount.name }}
{{- if eq $name "default" }}
{{- fail "serviceAccount.name is default, the account of every pod in the namespace that names none: name another one" }}
{{- end }}
{{- if not (or $name .Values.serviceAccount.create) }}
{{- fail "serviceAccount.name is empty and serviceAccount.create is false: name the account that the operator runs as, or let the chart create one" }}
{{- end }}
{{- $name | default (include "grove.fullname" .) }}
{{- end }}

{{/* Never changed: a Deployment's selector is immutable. */}}
{{- define "grove.selectorLabels" -}}
app.kubernetes.io/name: {{ .Values.nameOverride | default "grove-operator" | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{/*
managed-by must not be grove-operator: the operator writes that value on the
objects that it creates for workloads, and selects them by it. So these labels
take precedence over commonLabels.
*/}}
{{- define "grove.labels" -}}
{{- $own := include "grove.ownLabels" . | fromYaml }}
{{- merge $own .Values.commonLabels | toYaml }}
{{- end }}

{{- define "grove.ownLabels" -}}
{{ include "grove.selectorLabels" . }}
app.kubernetes.io/component: operator
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{/* For (list . annotations): these and commonAnnotations, or nothing. */}}
{{- define "grove.annotations" -}}
{{- $common := (index . 0).Values.commonAnnotations }}
{{- with merge dict (index . 1) $common -}}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* For (list . image): its reference. One registry is enough for all images. */}}
{{- define "grove.image" -}}
{{- $chart := (index . 0).Chart }}
{{- $registry := (index . 0).Values.image.registry }}
{{- with index . 1 }}
{{- $name := .repository }}
{{- with .registry | default $registry }}
{{- $name = printf "%s/%s" (trimSuffix "/" .) $name }}
{{- end }}
{{- if .digest }}
{{- printf "%s@%s" $name .digest }}
{{- else }}
{{- printf "%s:%s" $name (.tag | default $chart.AppVersion) }}
{{- end }}
{{- end }}
{{- end }}

{{/*
Placement and priority of this chart's pods.
*/}}
{{- define "grove.placement" -}}
{{- $placement := dict }}
{{- range $key := list "nodeSelector" "priorityClassName" }}
{{- with index $.Values $key }}
{{- $_ := set $placement $key . }}
{{- end }}
{{- end }}
{{- $tolerations := .Values.tolerations | default list }}
{{- $given := list }}
{{- range $tolerations }}
{{- $given = append $given (.key | default "") }}
{{- end }}
{{- range $what := list "not-ready" "unreachable" }}
{{- $key := printf "node.kubernetes.io/%s" $what }}
{{- if not (has $key $given) }}
{{- $soon := dict "key" $key "operator" "Exists" "effect" "NoExecute" "tolerationSeconds" 15 }}
{{- $tolerations = append $tolerations $soon }}
{{- end }}
{{- end }}
{{- $_ := set $placement "tolerations" $tolerations }}
{{- toYaml $placement }}
{{- end }}

{{/* Not empty if the pods of some scheduler are placed as gangs. */}}
{{- define "grove.placesGangs" -}}
{{- range (.Values.config.scheduler | default dict).profiles }}
{{- if ne (.backend | default .name) "default-scheduler" }}yes{{ end }}
{{- end }}
{{- end }}

{{- define "grove.probesPort" -}}
{{- dig "healthProbes" "port" 2751 (.Values.config.server | default dict) }}
{{- end }}

{{- define "grove.metricsPort" -}}
{{- dig "metrics" "port" 2752 (.Values.config.server | default dict) }}
{{- end }}

{{- define "grove.webhooksPort" -}}
{{- dig "webhooks" "port" 2750 (.Values.config.server | default dict) }}
{{- end }}

{{/*
For (list . name): name of a cluster-wide configuration of webhooks: Grove's,
unless the operator has another name.
*/}}
{{- define "grove.webhookConfiguration" -}}
{{- $name := include "grove.fullname" (index . 0) }}
{{- if ne $name "grove-operator" }}{{ $name }}-{{ end }}{{ index . 1 }}
{{- end }}

{{/* The names of the validating configurations, as a list. */}}
{{- define "grove.validatingConfigurations" -}}
- {{ include "grove.webhookConfiguration" (list . "podcliqueset-validating-webhook") }}
{{- if not .Values.watchNamespaces }}
- {{ include "grove.webhookConfiguration" (list . "clustertopology-validating-webhook") }}
{{- end }}
{{- if dig "authorizer" "enabled" false .Values.config }}
- {{ include "grove.webhookConfiguration" (list . "authorizer-webhook") }}
{{- end }}
{{- end }}

{{/*
Name of the webhook's certificate: Grove's, unless the operator has another name
or the values set it: two releases in one namespace have one each.
*/}}
{{- define "grove.secretName" -}}
{{- $name := include "grove.fullname" . }}
{{- $own := ternary "grove-webhook-server-cert" (printf "%s-webhook-server-cert" $name) (eq $name "grove-operator") }}
{{- .Values.webhooks.certificates.secretName | default $own }}
{{- end }}

{{- define "grove.leaseName" -}}
{{- printf "%s-leader-election" (include "grove.fullname" .) }}
{{- end }}

{{/* The file that the operator reads. */}}
{{- define "grove.config" -}}
{{- $config := deepCopy .Values.config }}
{{- $server := get $config "server" | default dict }}
{{- if .Values.webhooks.enabled }}
{{- $own := dict
  "secretName" (include "grove.secretName" .)
  "certProvisionMode" .Values.webhooks.certificates.mode
  "certLifetime" .Values.webhooks.certificates.lifetime
  "serviceName" (include "grove.fullname" .)
  "mutatingConfigurations" (list (include "grove.webhookConfiguration" (list . "podcliqueset-defaulting-webhook")))
  "validatingConfigurations" (include "grove.validatingConfigurations" . | fromYamlArray) }}
{{- with .Values.webhooks.url }}{{ $_ := set $own "url" . }}{{ end }}
{{- with .Values.webhooks.clientCA }}{{ $_ := set $own "clientCA" . }}{{ end }}
{{- $_ := set $server "webhooks" (merge dict (get $server "webhooks" | default dict) $own) }}
{{- else }}
{{- $_ := unset $server "webhooks" }}
{{- if dig "authorizer" "enabled" false $config }}
{{- fail "config.authorizer.enabled is true and webhooks.enabled is false: only the webhook can refuse changes; enable it" }}
{{- end }}
{{- if dig "admission" "coherentScaleLock" false $config }}
{{- fail "config.admission.coherentScaleLock is true and webhooks.enabled is false: only the webhook can refuse changes; enable it" }}
{{- end }}
{{- end }}
{{- $_ := set $config "server" $server }}
{{- if hasKey $config "leaderElection" }}
{{- $_ := set $config.leaderElection "resourceName" (include "grove.leaseName" .) }}
{{- end }}
apiVersion: operator.config.grove.io/v1alpha1
kind: OperatorConfiguration
{{- with .Values.watchNamespaces }}
watchNamespaces:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{ toYaml $config }}
{{- end }}

{{/*
The name contains a hash of the content: the kubelet need not watch an immutable
ConfigMap, and a new name in the pod template replaces the pod.
*/}}
{{- define "grove.configMapName" -}}
{{- $hash := include "grove.config" . | sha256sum | trunc 8 }}
{{- printf "%s-cm-%s" (include "grove.fullname" .) $hash }}
{{- end }}
