{{/* Folders and ports that image and chart agree about. */}}
{{- define "digital-gold.settingsDir" -}}/etc/digital-gold/settings{{- end }}
{{- define "digital-gold.objectStoreDir" -}}/var/lib/digital-gold/objects{{- end }}
{{- define "digital-gold.httpPort" -}}4000{{- end }}
{{- define "digital-gold.internalPort" -}}9090{{- end }}

{{/* A scalar as an environment variable's text; a whole number never as 1e+06. */}}
{{- define "digital-gold.text" -}}
{{- if kindIs "float64" . }}{{ int64 . }}{{ else }}{{ toString . }}{{ end }}
{{- end }}

{{/*
A component's environment as YAML: `config`, over it the component's own, over both what the chart
decides. Not by `merge`, for which false and 0 are nothing. In: root, component.
*/}}
{{- define "digital-gold.environment" -}}
{{- $values := .root.Values }}
{{- $result := dict }}
{{- range $given := list $values.config (index $values .component).config }}
{{- range $name, $value := $given }}
{{- $_ := set $result $name (include "digital-gold.text" $value) }}
{{- end }}
{{- end }}
{{- $_ := set $result "SETTINGS_DIR" (include "digital-gold.settingsDir" .) }}
{{- $_ := set $result "INTERNAL_PORT" (include "digital-gold.internalPort" .) }}
{{- $_ := set $result "SHUTDOWN_DRAIN_MS" (include "digital-gold.text" $values.shutdown.drainMs) }}
{{- $_ := set $result "SHUTDOWN_GRACE_MS" (include "digital-gold.text" $values.shutdown.graceMs) }}
{{- with $values.proxy }}
{{- range $name, $value := dict "HTTPS_PROXY" .https "HTTP_PROXY" .http "NO_PROXY" .noProxy }}
{{- if $value }}
{{- $_ := set $result $name $value }}
{{- end }}
{{- end }}
{{- if or .https .http }}
{{- /* For clients that use Node's own agents. */}}
{{- $_ := set $result "NODE_USE_ENV_PROXY" "1" }}
{{- end }}
{{- end }}
{{- $pool := index $values.database.poolSize .component }}
{{- $_ := set $result "DATABASE_POOL_SIZE" (include "digital-gold.text" $pool) }}
{{- $_ := include "digital-gold.databaseTls" .root | fromYaml | merge $result }}
{{- if ne .component "worker" }}
{{- $_ := set $result "PORT" (include "digital-gold.httpPort" .) }}
{{- end }}
{{- if include "digital-gold.usesObjectStore" . }}
{{- $_ := set $result "OBJECT_STORE" .root.Values.objectStore.type }}
{{- if include "digital-gold.mountsObjects" . }}
{{- $_ := set $result "OBJECT_STORE_DIR" (include "digital-gold.objectStoreDir" .) }}
{{- end }}
{{- end }}
{{- if hasKey $result "OTEL_EXPORTER_OTLP_ENDPOINT" }}
{{- $own := printf "digital-gold-%s" .component }}
{{- $_ := set $result "OTEL_SERVICE_NAME" (default $own (get $result "OTEL_SERVICE_NAME")) }}
{{- end }}
{{- toYaml $result }}
{{- end }}

{{/* Variables of the TLS of the database's connections, as YAML. */}}
{{- define "digital-gold.databaseTls" -}}
{{- with .Values.database }}
{{- with .sslMode }}
DATABASE_SSLMODE: {{ . }}
{{- end }}
{{- if or .ca.secretName .ca.configMapName }}
DATABASE_CA_FILE: {{ include "digital-gold.databaseCaDir" $ }}/ca.crt
{{- end }}
{{- end }}
{{- end }}

{{/*
The environment of a container: its ConfigMap if it has one, its own variables, then what is given
further for all and for this one. In: root, component (a key of the values), configMap, variables.
*/}}
{{- define "digital-gold.containerEnvironment" -}}
{{- $own := index .root.Values .component }}
{{- $from := concat .root.Values.envFrom (default list $own.envFrom) }}
{{- with .configMap }}
{{- $from = prepend $from (dict "configMapRef" (dict "name" .)) }}
{{- end }}
{{- with $from }}
envFrom:
  {{- toYaml . | nindent 2 }}
{{- end }}
env:
  {{- .variables | trim | nindent 2 }}
  {{- with concat .root.Values.extraEnv (default list $own.extraEnv) }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{/* The ConfigMap of a component's environment. In: root, component. */}}
{{- define "digital-gold.configMap" -}}
apiVersion: v1
kind: ConfigMap
metadata:
  {{- include "digital-gold.metadata" . | nindent 2 }}
data:
  {{- include "digital-gold.environment" . | nindent 2 }}
{{- end }}
