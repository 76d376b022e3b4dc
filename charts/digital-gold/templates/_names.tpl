{{/* Name of the application in labels. */}}
{{- define "digital-gold.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 43 | trimSuffix "-" }}
{{- end }}

{{/* Prefix of every object's name; short enough for the longest suffix. */}}
{{- define "digital-gold.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" }}
{{- else }}
{{- $name := include "digital-gold.name" . }}
{{- if contains $name .Release.Name }}
{{- .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" }}
{{- end }}
{{- end }}
{{- end }}

{{/* Name of an object of a component. In: root, component. */}}
{{- define "digital-gold.componentName" -}}
{{- printf "%s-%s" (include "digital-gold.fullname" .root) .component }}
{{- end }}

{{- define "digital-gold.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "digital-gold.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- define "digital-gold.settingsName" -}}
{{- $own := printf "%s-settings" (include "digital-gold.fullname" .) }}
{{- default $own .Values.settings.existingConfigMap }}
{{- end }}

{{/* Non-empty for a process that reads and writes objects. In: component. */}}
{{- define "digital-gold.usesObjectStore" -}}
{{- if has .component (list "customer" "admin" "worker") }}yes{{ end }}
{{- end }}

{{/* Non-empty for a process that has them as files. In: root, component. */}}
{{- define "digital-gold.mountsObjects" -}}
{{- if eq .root.Values.objectStore.type "filesystem" }}
{{- include "digital-gold.usesObjectStore" . }}
{{- end }}
{{- end }}

{{- define "digital-gold.objectStoreName" -}}
{{- $own := printf "%s-objects" (include "digital-gold.fullname" .) }}
{{- default $own .Values.objectStore.existingClaim }}
{{- end }}

{{/* The image as one reference. A digest wins over the tag, a shared registry over the image's own. */}}
{{- define "digital-gold.image" -}}
{{- $repository := .Values.image.repository }}
{{- with .Values.global.imageRegistry }}
{{- $parts := splitList "/" $repository }}
{{- $first := first $parts }}
{{- /* As a container runtime reads it: a registry has a dot or a port, or is localhost. */}}
{{- if and (rest $parts) (or (contains "." $first) (contains ":" $first) (eq $first "localhost")) }}
{{- $parts = rest $parts }}
{{- end }}
{{- $repository = printf "%s/%s" . (join "/" $parts) }}
{{- end }}
{{- with .Values.image }}
{{- if .digest }}
{{- printf "%s@%s" $repository .digest }}
{{- else }}
{{- printf "%s:%s" $repository (default $.Chart.AppVersion .tag) }}
{{- end }}
{{- end }}
{{- end }}
