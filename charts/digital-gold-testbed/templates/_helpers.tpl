{{/* Stops what is no test. The labels call it, so no object is rendered without. */}}
{{- define "testbed.guard" -}}
{{- if ne .Values.purpose "test" }}
{{- fail "digital-gold-testbed is for tests alone, its secrets are published: set purpose=test" }}
{{- end }}
{{- if contains "prod" .Release.Namespace }}
{{- fail (printf "digital-gold-testbed is for tests alone: not in namespace %s" .Release.Namespace) }}
{{- end }}
{{- end }}

{{/* Labels that select the pods of a component; takes {root, component}. */}}
{{- define "testbed.selectorLabels" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{/* Labels of every object of a component; takes {root, component}. */}}
{{- define "testbed.labels" -}}
{{- include "testbed.guard" .root -}}
{{ include "testbed.selectorLabels" . }}
app.kubernetes.io/part-of: {{ .root.Chart.Name }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{/* The service's image. */}}
{{- define "testbed.image" -}}
{{- include "testbed.guard" . -}}
{{- $image := .Values.image -}}
{{- printf "%s:%s" (required "image.repository is needed: the image of the service" $image.repository)
      (required "image.tag is needed: the image of the service" $image.tag) -}}
{{- end }}

{{/*
The stores and the outside parties are single pods: all on one node where there is room, so that any
other may be lost. Best on one that cannot be lost anyway. Takes {root}.
*/}}
{{- define "testbed.together" -}}
affinity:
  nodeAffinity:
    preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 100
        preference:
          matchExpressions:
            - { key: node-role.kubernetes.io/control-plane, operator: Exists }
  podAffinity:
    preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 100
        podAffinityTerm:
          topologyKey: kubernetes.io/hostname
          labelSelector:
            matchLabels:
              app.kubernetes.io/name: {{ .root.Chart.Name }}
              app.kubernetes.io/instance: {{ .root.Release.Name }}
            matchExpressions:
              - { key: app.kubernetes.io/component, operator: In, values: [postgres, redis, sandbox] }
{{- end }}

{{/* What every pod has; takes {root, uid}. */}}
{{- define "testbed.podDefaults" -}}
automountServiceAccountToken: false
enableServiceLinks: false
serviceAccountName: {{ .root.Values.name }}
securityContext:
  runAsNonRoot: true
  runAsUser: {{ .uid }}
  runAsGroup: {{ .uid }}
  fsGroup: {{ .uid }}
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* The user of the service's image. */}}
{{- define "testbed.uid" -}}10001{{- end }}

{{- define "testbed.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{/* A claim of a StatefulSet; takes its storage values. */}}
{{- define "testbed.claimSpec" -}}
accessModes: [ReadWriteOnce]
{{- with .className }}
storageClassName: {{ . }}
{{- end }}
resources: { requests: { storage: {{ .size }} } }
{{- end }}

{{/* Peers of a NetworkPolicy: the pods of the main chart. */}}
{{- define "testbed.servicePods" -}}
- podSelector:
    matchLabels: {{- toYaml .Values.service.podLabels | nindent 6 }}
{{- end }}

{{/* Names are looked up wherever the cluster's DNS is. */}}
{{- define "testbed.dnsRule" -}}
- ports:
    - { port: 53, protocol: UDP }
    - { port: 53, protocol: TCP }
{{- end }}
