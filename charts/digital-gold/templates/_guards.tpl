{{/* Every guard: what a schema can't say. Each ends the rendering with one line that says what to do. */}}
{{- define "digital-gold.guards" -}}
{{- include "digital-gold.guardRequired" . }}
{{- include "digital-gold.guardShutdown" . }}
{{- include "digital-gold.guardConfig" . }}
{{- include "digital-gold.guardScaling" . }}
{{- include "digital-gold.guardIngress" . }}
{{- end }}

{{- define "digital-gold.guardRequired" -}}
{{- if not .Values.image.repository }}
{{- fail "image.repository is needed: where the image is, with its registry" }}
{{- end }}
{{- if not .Values.secrets.existingSecret }}
{{- fail "secrets.existingSecret is needed: a Secret whose keys are environment variables" }}
{{- end }}
{{- if not .Values.migrations.existingSecret }}
{{- fail "migrations.existingSecret is needed: a Secret with MIGRATE_DATABASE_URL" }}
{{- end }}
{{- end }}

{{- define "digital-gold.guardShutdown" -}}
{{- with .Values.shutdown }}
{{- if lt (int64 .graceMs) (add (int64 .drainMs) 5000) }}
{{- fail "shutdown.graceMs must be at least shutdown.drainMs + 5000: requests under way and the closing need time after the drain" }}
{{- end }}
{{- if lt (mul (int64 .terminationGracePeriodSeconds) 1000) (add (int64 .graceMs) 2000) }}
{{- fail "shutdown.terminationGracePeriodSeconds must be at least 2 s more than shutdown.graceMs: else the kubelet kills a pod that is still finishing" }}
{{- end }}
{{- end }}
{{- end }}

{{- define "digital-gold.guardConfig" -}}
{{- $owned := list "PORT" "INTERNAL_PORT" "SETTINGS_DIR" "OBJECT_STORE_DIR" "SHUTDOWN_DRAIN_MS" "SHUTDOWN_GRACE_MS" }}
{{- $secret := "^((MIGRATE_)?DATABASE_URL|REDIS_URL|BLIND_INDEX_KEY|[A-Z0-9_]*(SECRETS?|TOKEN|PASSWORD|PEPPER|KEYRING|AUTH_KEY))$" }}
{{- $maps := dict "config" .Values.config }}
{{- range $component := list "customer" "admin" "accounting" "worker" }}
{{- $_ := set $maps (printf "%s.config" $component) (index $.Values $component).config }}
{{- end }}
{{- range $where, $map := $maps }}
{{- range $name, $_ := $map }}
{{- if has $name $owned }}
{{- fail (printf "%s.%s is set by the chart: see shutdown, objectStore and the ports" $where $name) }}
{{- end }}
{{- if hasKey $.Values.settings.initial $name }}
{{- fail (printf "%s.%s is a switch, which is read from the settings alone: see settings.initial" $where $name) }}
{{- end }}
{{- if regexMatch $secret $name }}
{{- fail (printf "%s.%s is a secret: put it into the Secret that secrets.existingSecret names" $where $name) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "digital-gold.guardScaling" -}}
{{- range $component := list "customer" "admin" "accounting" "worker" }}
{{- with (index $.Values $component).autoscaling }}
{{- if gt (int64 .minReplicas) (int64 .maxReplicas) }}
{{- fail (printf "%s.autoscaling.minReplicas is more than maxReplicas" $component) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "digital-gold.guardIngress" -}}
{{- $ingress := .Values.ingress }}
{{- if eq $ingress.publicClassName $ingress.internalClassName }}
{{- fail "ingress.internalClassName must not be ingress.publicClassName: the accounting API is for the company's network alone" }}
{{- end }}
{{- if eq (include "digital-gold.ingressClass" (dict "root" . "component" "accounting")) $ingress.publicClassName }}
{{- fail "ingress.accounting.className must not be ingress.publicClassName: the accounting API is never on the internet" }}
{{- end }}
{{- $hosts := list }}
{{- range $component := list "customer" "admin" "accounting" }}
{{- with index $ingress $component }}
{{- if .enabled }}
{{- if not .host }}
{{- fail (printf "ingress.%s.host is needed while ingress.%s.enabled" $component $component) }}
{{- end }}
{{- if has .host $hosts }}
{{- fail (printf "ingress.%s.host is another API's: each has a host of its own" $component) }}
{{- end }}
{{- $hosts = append $hosts .host }}
{{- include "digital-gold.guardMetrics" (dict "root" $ "component" $component "host" .host) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* An API answers /metrics under the names in INTERNAL_HOSTNAMES. In: root, component, host. */}}
{{- define "digital-gold.guardMetrics" -}}
{{- $environment := include "digital-gold.environment" . | fromYaml }}
{{- $internal := splitList "," (default "" (get $environment "INTERNAL_HOSTNAMES") | nospace | lower) }}
{{- if has (lower .host) $internal }}
{{- fail (printf "INTERNAL_HOSTNAMES names ingress.%s.host: its metrics would be exposed" .component) }}
{{- end }}
{{- end }}
