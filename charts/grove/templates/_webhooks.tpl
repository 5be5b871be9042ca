{{/* Of (list . path failurePolicy): what all webhooks have. */}}
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

{{/* Only where the operator looks after workloads. */}}
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
Of (list . resources operator): what is made and changed by users. The operator
itself is not asked about, or it could not take its finalizer off while its
webhook is down; neither is what is being deleted.
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

{{/* Of (list . resources operator): what is made by the operator and scaled by users. */}}
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
Whom the authorizer lets through whatever they do: the accounts that it always
exempts (`admission::authorizer::ALWAYS_EXEMPT`; tests/e2e compares the two) and
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
