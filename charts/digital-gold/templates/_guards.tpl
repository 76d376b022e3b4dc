{{/*
Every guard: what a schema can't say. Each ends the rendering with one line that says what to do.
*/}}
{{- define "digital-gold.guards" -}}
{{- include "digital-gold.guardRequired" . }}
{{- include "digital-gold.guardShutdown" . }}
{{- include "digital-gold.guardConfig" . }}
{{- include "digital-gold.guardScaling" . }}
{{- include "digital-gold.guardIngress" . }}
{{- include "digital-gold.guardNetwork" . }}
{{- end }}

{{- define "digital-gold.guardRequired" -}}
{{- if not .Values.image.repository }}
{{- fail "image.repository is needed: where the image is, with its registry" }}
{{- end }}
{{- range $component := list "customer" "admin" "accounting" "worker" }}
{{- if not (include "digital-gold.secretName" (dict "root" $ "component" $component)) }}
{{- $what := printf "or %s.existingSecret" $component }}
{{- fail (printf "secrets.existingSecret is needed, %s: a Secret with its secrets" $what) }}
{{- end }}
{{- end }}
{{- if not .Values.migrations.existingSecret }}
{{- fail "migrations.existingSecret is needed: a Secret with MIGRATE_DATABASE_URL" }}
{{- end }}
{{- end }}

{{- define "digital-gold.guardShutdown" -}}
{{- with .Values.shutdown }}
{{- if lt (int64 .graceMs) (add (int64 .drainMs) 5000) }}
{{- $why := "requests under way and the closing need time after the drain" }}
{{- fail (printf "shutdown.graceMs must be at least shutdown.drainMs + 5000: %s" $why) }}
{{- end }}
{{- if lt (mul (int64 .terminationGracePeriodSeconds) 1000) (add (int64 .graceMs) 2000) }}
{{- $what := "shutdown.terminationGracePeriodSeconds must be at least 2 s more than graceMs" }}
{{- fail (printf "%s: else the kubelet kills a pod that is still finishing" $what) }}
{{- end }}
{{- end }}
{{- end }}

{{- define "digital-gold.guardConfig" -}}
{{- $owned := list "PORT" "INTERNAL_PORT" "SETTINGS_DIR" "OBJECT_STORE" "OBJECT_STORE_DIR" }}
{{- $owned = concat $owned (list "SHUTDOWN_DRAIN_MS" "SHUTDOWN_GRACE_MS") }}
{{- $named := "(MIGRATE_)?DATABASE_URL|REDIS_URL|BLIND_INDEX_KEY" }}
{{- $alike := "[A-Z0-9_]*(SECRETS?|TOKEN|PASSWORD|PEPPER|KEYRING|AUTH_KEY|SECRET_ACCESS_KEY)" }}
{{- $secret := printf "^(%s|%s)$" $named $alike }}
{{- $maps := dict "config" .Values.config }}
{{- range $component := list "customer" "admin" "accounting" "worker" }}
{{- $_ := set $maps (printf "%s.config" $component) (index $.Values $component).config }}
{{- end }}
{{- range $where, $map := $maps }}
{{- range $name, $_ := $map }}
{{- if has $name $owned }}
{{- fail (printf "%s.%s is set by the chart: see shutdown and objectStore" $where $name) }}
{{- end }}
{{- if hasKey $.Values.settings.initial $name }}
{{- fail (printf "%s.%s is a switch, read from the settings alone: see settings" $where $name) }}
{{- end }}
{{- if regexMatch $secret $name }}
{{- fail (printf "%s.%s is a secret: put it into secrets.existingSecret" $where $name) }}
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

{{/* To Kubernetes an empty list of peers would be everybody. */}}
{{- define "digital-gold.guardNetwork" -}}
{{- if .Values.networkPolicy.enabled }}
{{- range $store, $whose := dict "database" "PostgreSQL" "cache" "Redis" }}
{{- if not (index $.Values.networkPolicy.egress $store).to }}
{{- fail (printf "networkPolicy.egress.%s.to is needed: where %s is" $store $whose) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "digital-gold.guardIngress" -}}
{{- $ingress := .Values.ingress }}
{{- if eq $ingress.publicClassName $ingress.internalClassName }}
{{- fail "ingress.internalClassName must not be ingress.publicClassName: one is the internet" }}
{{- end }}
{{- $class := include "digital-gold.ingressClass" (dict "root" . "component" "accounting") }}
{{- if eq $class $ingress.publicClassName }}
{{- $why := "the accounting API is never on the internet" }}
{{- fail (printf "ingress.accounting.className must not be ingress.publicClassName: %s" $why) }}
{{- end }}
{{- $hosts := list }}
{{- range $component := list "customer" "admin" "accounting" }}
{{- with index $ingress $component }}
{{- if .enabled }}
{{- if not .host }}
{{- fail (printf "ingress.%s.host is needed while it is enabled" $component) }}
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
{{- $names := default "" (get $environment "INTERNAL_HOSTNAMES") | nospace | lower }}
{{- $internal := splitList "," $names }}
{{- if has (lower .host) $internal }}
{{- fail (printf "INTERNAL_HOSTNAMES names ingress.%s.host: it would show metrics" .component) }}
{{- end }}
{{- end }}
