{{/* What the release's pods have in common. */}}
{{- define "digital-gold.releaseLabels" -}}
app.kubernetes.io/name: {{ include "digital-gold.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{/* What selects a component's pods; never changes. In: root, component. */}}
{{- define "digital-gold.selectorLabels" -}}
{{ include "digital-gold.releaseLabels" .root }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{/* Labels of a pod: without the chart's version, so that a new chart alone rolls no pod. */}}
{{- define "digital-gold.podLabels" -}}
{{ include "digital-gold.selectorLabels" . }}
app.kubernetes.io/part-of: digital-gold
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/*
What runs, as a label: the tag, or without one the start of the digest. A label has at most 63
characters, a tag up to 128.
*/}}
{{- define "digital-gold.version" -}}
{{- $digest := .Values.image.digest | replace ":" "-" }}
{{- $named := default .Chart.AppVersion .Values.image.tag }}
{{- if and .Values.image.digest (not .Values.image.tag) }}
{{- $named = $digest }}
{{- end }}
{{- regexReplaceAll "[^A-Za-z0-9]+$" ($named | replace "+" "_" | trunc 63) "" }}
{{- end }}

{{/* Labels of every other object. In: root, component. */}}
{{- define "digital-gold.labels" -}}
{{ include "digital-gold.podLabels" . }}
app.kubernetes.io/version: {{ include "digital-gold.version" .root | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end }}

{{/*
Metadata of an object of a component. In: root, component, and, if any, name (in place of the
component's), suffix of the name, labels, annotations.
*/}}
{{- define "digital-gold.metadata" -}}
{{- $name := default (include "digital-gold.componentName" .) .name -}}
name: {{ $name }}{{ with .suffix }}-{{ . }}{{ end }}
namespace: {{ .root.Release.Namespace }}
labels:
  {{- include "digital-gold.labels" . | nindent 2 }}
{{- with .labels }}
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with merge dict (default dict .annotations) .root.Values.commonAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
