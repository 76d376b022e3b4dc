{{/* Security of a pod; with the container's it passes the Pod Security standard "restricted". */}}
{{- define "digital-gold.podSecurityContext" -}}
runAsNonRoot: true
{{- with .Values.podSecurity.runAsUser }}
runAsUser: {{ int64 . }}
{{- end }}
{{- with .Values.podSecurity.runAsGroup }}
runAsGroup: {{ int64 . }}
{{- end }}
{{- with .Values.podSecurity.fsGroup }}
fsGroup: {{ int64 . }}
# Not a walk through every document at each start.
fsGroupChangePolicy: OnRootMismatch
{{- end }}
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "digital-gold.containerSecurityContext" -}}
allowPrivilegeEscalation: false
privileged: false
readOnlyRootFilesystem: true
capabilities:
  drop:
    - ALL
{{- end }}

{{/* What every pod of the release begins with. In: root, serviceAccountName, token (a bool). */}}
{{- define "digital-gold.podBase" -}}
serviceAccountName: {{ .serviceAccountName }}
automountServiceAccountToken: {{ .token }}
# The names of other services are not the processes' environment.
enableServiceLinks: false
securityContext:
  {{- include "digital-gold.podSecurityContext" .root | nindent 2 }}
{{- with concat .root.Values.global.imagePullSecrets .root.Values.imagePullSecrets | uniq }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.dnsPolicy }}
dnsPolicy: {{ . }}
{{- end }}
{{- with .root.Values.dnsConfig }}
dnsConfig:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.hostAliases }}
hostAliases:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* What every container begins with. In: root, name. */}}
{{- define "digital-gold.containerBase" -}}
name: {{ .name }}
image: {{ include "digital-gold.image" .root }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
securityContext:
  {{- include "digital-gold.containerSecurityContext" . | nindent 2 }}
{{- end }}

{{- define "digital-gold.commonVolumes" -}}
- name: tmp
  emptyDir:
    sizeLimit: {{ .Values.tmpSizeLimit }}
{{- with include "digital-gold.databaseCaVolume" . | trim }}
{{ . }}
{{- end }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "digital-gold.commonVolumeMounts" -}}
- name: tmp
  mountPath: /tmp
{{- with include "digital-gold.databaseCaMount" . | trim }}
{{ . }}
{{- end }}
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Where pods may be. In: nodeSelector, tolerations, affinity and priorityClassName if any. */}}
{{- define "digital-gold.placement" -}}
{{- with .priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with include "digital-gold.tolerations" . | fromYamlArray }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/*
The tolerations that are given, and for a lost node those that make Kubernetes wait shorter than its
usual 300 s, unless one that is given speaks of it. As a YAML list. In: tolerations, lostNodeSeconds.
*/}}
{{- define "digital-gold.tolerations" -}}
{{- $all := default list .tolerations }}
{{- if .lostNodeSeconds }}
{{- range $key := list "node.kubernetes.io/not-ready" "node.kubernetes.io/unreachable" }}
{{- $isGiven := false }}
{{- range $.tolerations }}
{{- if and (has (default "" .key) (list "" $key)) (has (default "" .effect) (list "" "NoExecute")) }}
{{- $isGiven = true }}
{{- end }}
{{- end }}
{{- if not $isGiven }}
{{- $ours := dict "key" $key "operator" "Exists" "effect" "NoExecute" }}
{{- $all = append $all (merge $ours (dict "tolerationSeconds" (int64 $.lostNodeSeconds))) }}
{{- end }}
{{- end }}
{{- end }}
{{- toYaml $all }}
{{- end }}

{{/* In: root, component. */}}
{{- define "digital-gold.topologySpread" -}}
{{- $spread := (index .root.Values .component).topologySpread }}
{{- $keys := dict "kubernetes.io/hostname" $spread.nodes }}
{{- $_ := set $keys "topology.kubernetes.io/zone" $spread.zones }}
{{- if or $spread.nodes $spread.zones }}
topologySpreadConstraints:
  {{- range $key, $when := $keys }}
  {{- if $when }}
  - maxSkew: 1
    topologyKey: {{ $key }}
    whenUnsatisfiable: {{ $when }}
    labelSelector:
      matchLabels:
        {{- include "digital-gold.selectorLabels" $ | nindent 8 }}
    # Each version by itself: pods that are about to go count for nothing.
    matchLabelKeys:
      - pod-template-hash
    # A node that is lost or being drained takes no pod and counts for nothing.
    nodeTaintsPolicy: Honor
  {{- end }}
  {{- end }}
{{- end }}
{{- end }}

{{/* A probe of the internal port. In: path, figures. */}}
{{- define "digital-gold.probe" -}}
httpGet:
  path: {{ .path }}
  port: internal
periodSeconds: {{ .figures.periodSeconds }}
failureThreshold: {{ .figures.failureThreshold }}
timeoutSeconds: {{ .figures.timeoutSeconds }}
{{- end }}
