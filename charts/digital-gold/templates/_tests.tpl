{{/* Metadata of what `helm test` makes and takes away again. In: root, weight. */}}
{{- define "digital-gold.testMetadata" -}}
{{- $hook := dict "helm.sh/hook" "test" "helm.sh/hook-weight" (toString .weight) }}
{{- $_ := set $hook "helm.sh/hook-delete-policy" "before-hook-creation,hook-succeeded,hook-failed" }}
{{- include "digital-gold.metadata" (dict "root" .root "component" "test" "annotations" $hook) }}
{{- end }}

{{/* Names of the Secrets that the release's pods need, as a YAML list. */}}
{{- define "digital-gold.secretNames" -}}
{{- $names := list .Values.secrets.existingSecret .Values.migrations.existingSecret }}
{{- range $component := list "customer" "admin" "accounting" "worker" }}
{{- $names = append $names (index $.Values $component).existingSecret }}
{{- end }}
{{- range .Values.imagePullSecrets }}
{{- $names = append $names .name }}
{{- end }}
{{- toYaml ($names | compact | uniq) }}
{{- end }}
