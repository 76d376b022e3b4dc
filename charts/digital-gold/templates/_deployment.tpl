{{/* The arguments that make the image's init start a process, with traces if they have somewhere to go. In: root, component. */}}
{{- define "digital-gold.arguments" -}}
{{- $environment := include "digital-gold.environment" . | fromYaml }}
- node
- --enable-source-maps
- --max-semi-space-size=8
{{- if hasKey $environment "OTEL_EXPORTER_OTLP_ENDPOINT" }}
- --import
- ./dist/otel/main.js
{{- end }}
- dist/{{ .component }}/main.js
{{- end }}

{{/* The container of a process. In: root, component. */}}
{{- define "digital-gold.container" -}}
{{- $values := index .root.Values .component }}
{{- $probes := .root.Values.probes }}
{{- $startup := dict "path" "/healthz" "figures" $probes.startup }}
{{- $liveness := dict "path" "/healthz" "figures" $probes.liveness }}
{{- $readiness := dict "path" "/readyz" "figures" $probes.readiness -}}
{{ include "digital-gold.containerBase" (dict "root" .root "name" .component) }}
args:
  {{- include "digital-gold.arguments" . | trim | nindent 2 }}
{{- $given := dict "root" .root "component" .component }}
{{- $_ := set $given "configMap" (include "digital-gold.componentName" .) }}
{{- $parts := dict "root" .root "names" (include "digital-gold.databaseParts" . | fromYamlArray) }}
{{- $files := include "digital-gold.secretFiles" . | trim }}
{{- $variables := include "digital-gold.variablesFromSecrets" $parts }}
{{- $_ := set $given "variables" (printf "%s%s" $files $variables) }}
{{ include "digital-gold.containerEnvironment" $given | trim }}
ports:
  {{- if ne .component "worker" }}
  - name: http
    containerPort: {{ include "digital-gold.httpPort" . }}
  {{- end }}
  - name: internal
    containerPort: {{ include "digital-gold.internalPort" . }}
startupProbe:
  {{- include "digital-gold.probe" $startup | nindent 2 }}
livenessProbe:
  {{- include "digital-gold.probe" $liveness | nindent 2 }}
readinessProbe:
  {{- include "digital-gold.probe" $readiness | nindent 2 }}
resources:
  {{- toYaml $values.resources | nindent 2 }}
volumeMounts:
  {{- include "digital-gold.commonVolumeMounts" .root | nindent 2 }}
  {{- include "digital-gold.secretMount" . | nindent 2 }}
  # The whole folder: a single mounted file would never change under a running process.
  - name: settings
    mountPath: {{ include "digital-gold.settingsDir" . }}
    readOnly: true
  {{- if include "digital-gold.mountsObjects" . }}
  - name: objects
    mountPath: {{ include "digital-gold.objectStoreDir" . }}
  {{- end }}
  {{- with $values.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with $values.lifecycle }}
lifecycle:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* The pods of a process. In: root, component. */}}
{{- define "digital-gold.podTemplate" -}}
{{- $root := .root }}
{{- $values := index $root.Values .component }}
{{- $account := include "digital-gold.serviceAccountName" $root -}}
metadata:
  labels:
    {{- include "digital-gold.podLabels" . | nindent 4 }}
    {{- with $values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    checksum/config: {{ include "digital-gold.environment" . | sha256sum }}
    {{- with $root.Values.secrets.revision }}
    digital-gold/secrets-revision: {{ . | quote }}
    {{- end }}
    {{- with merge dict $values.podAnnotations $root.Values.commonAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  {{- $base := dict "root" $root "serviceAccountName" $account "token" false }}
  {{- include "digital-gold.podBase" $base | nindent 2 }}
  terminationGracePeriodSeconds: {{ $root.Values.shutdown.terminationGracePeriodSeconds }}
  {{- $lost := dict "lostNodeSeconds" $root.Values.lostNodeSeconds }}
  {{- with include "digital-gold.placement" (merge $lost $values) | trim }}
  {{- . | nindent 2 }}
  {{- end }}
  {{- with include "digital-gold.topologySpread" . | trim }}
  {{- . | nindent 2 }}
  {{- end }}
  {{- with $values.initContainers }}
  initContainers:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - {{ include "digital-gold.container" . | nindent 6 | trim }}
    {{- with $values.extraContainers }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  volumes:
    {{- include "digital-gold.commonVolumes" $root | nindent 4 }}
    {{- include "digital-gold.secretVolume" . | nindent 4 }}
    - name: settings
      configMap:
        name: {{ include "digital-gold.settingsName" $root }}
    {{- if include "digital-gold.mountsObjects" . }}
    - name: objects
      persistentVolumeClaim:
        claimName: {{ include "digital-gold.objectStoreName" $root }}
    {{- end }}
    {{- with $values.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end }}

{{/* The Deployment of a process. In: root, component. */}}
{{- define "digital-gold.deployment" -}}
{{- $values := index .root.Values .component -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  {{- include "digital-gold.metadata" . | nindent 2 }}
spec:
  {{- if not $values.autoscaling.enabled }}
  replicas: {{ $values.replicas }}
  {{- end }}
  progressDeadlineSeconds: {{ .root.Values.rollingUpdate.progressDeadlineSeconds }}
  revisionHistoryLimit: {{ .root.Values.revisionHistoryLimit }}
  selector:
    matchLabels:
      {{- include "digital-gold.selectorLabels" . | nindent 6 }}
  strategy:
    type: RollingUpdate
    rollingUpdate:
      # A pod goes only when its successor is ready.
      maxUnavailable: 0
      maxSurge: {{ .root.Values.rollingUpdate.maxSurge }}
  template:
    {{- include "digital-gold.podTemplate" . | nindent 4 }}
{{- end }}
