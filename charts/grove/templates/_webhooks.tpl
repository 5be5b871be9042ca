{{/* For (list . path failurePolicy): the common fields of all webhooks. */}}
{{- define "grove.webhook" -}}
{{- with index . 0 -}}
admissionReviewVersions: [v1]
clientConfig:
  {{- if .Values.webhooks.url }}
  url: {{ trimSuffix "/" .Values.webhooks.url }}/webhooks/{{ index $ 1 }}
  {{- else }}
  service:
    name: {{ include "grove.fullname" . }}
    namespace: {{ .Release.Namespace }}
    path: /webhooks/{{ index $ 1 }}
    port: 443
  {{- end }}
failurePolicy: {{ index $ 2 }}
matchPolicy: Exact
sideEffects: None
timeoutSeconds: {{ .Values.webhooks.timeoutSeconds }}
{{- end }}
{{- end }}

{{/* Only namespaces whose workloads the operator manages. */}}
{{- define "grove.webhookNamespaces" -}}
namespaceSelector:
  {{- with .Values.watchNamespaces }}
  matchExpressions:
    - key: kubernetes.io/metadata.name
      operator: In
      values:
        {{- toYaml . | nindent 8 }}
  {{- else }}
  {}
  {{- end }}
{{- end }}

{{/*
For (list . resources operator): objects that users create and change. The
webhook is not called for the operator itself, which could otherwise not remove
its finalizer while its webhook is down, nor for objects that are being deleted.
*/}}
{{- define "grove.webhookOfSets" -}}
{{ include "grove.webhookNamespaces" (index . 0) }}
matchConditions:
  - name: is-not-the-operator
    expression: request.userInfo.username != '{{ index . 2 }}'
  - name: is-not-being-deleted
    expression: "!has(object.metadata.deletionTimestamp)"
rules:
  - apiGroups: [grove.io]
    apiVersions: [v1alpha1]
    operations: [CREATE, UPDATE]
    resources: [{{ index . 1 }}]
    scope: Namespaced
{{- end }}

{{/* For (list . resources operator): objects that the operator creates and users scale. */}}
{{- define "grove.webhookOfChildren" -}}
{{ include "grove.webhookNamespaces" (index . 0) }}
matchConditions:
  - name: is-not-the-operator
    expression: request.userInfo.username != '{{ index . 2 }}'
  - name: has-another-spec
    expression: object.spec != oldObject.spec
rules:
  - apiGroups: [grove.io]
    apiVersions: [v1alpha1]
    operations: [UPDATE]
    resources: [{{ index . 1 }}]
    scope: Namespaced
{{- end }}

{{/*
Accounts whose requests the authorizer always allows: those that it exempts by
default (`admission::authorizer::ALWAYS_EXEMPT`; tests/e2e compares the two) and
those of the configuration.
*/}}
{{- define "grove.exemptUsers" -}}
- system:kube-controller-manager
- system:serviceaccount:kube-system:generic-garbage-collector
- system:serviceaccount:kube-system:namespace-controller
- system:serviceaccount:kube-system:horizontal-pod-autoscaler
- system:serviceaccount:kube-system:resource-claim-controller
- system:serviceaccount:kube-system:podgroup-protection-controller
- system:kube-scheduler
- system:serviceaccount:kai-scheduler:pod-grouper
- system:serviceaccount:kai-scheduler:binder
- system:serviceaccount:kai-scheduler:scheduler
- system:serviceaccount:kai-scheduler:podgroup-controller
- system:serviceaccount:volcano-system:volcano-scheduler
- system:serviceaccount:volcano-system:volcano-controllers
{{- range dig "authorizer" "exemptServiceAccountUserNames" list .Values.config }}
- {{ . | toJson }}
{{- end }}
{{- end }}
