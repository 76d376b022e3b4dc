{{/*
Every guard: what a schema can't say. Each ends the rendering with one line that says what to do.
*/}}
{{- define "digital-gold.guards" -}}
{{- include "digital-gold.guardRequired" . }}
{{- include "digital-gold.guardShutdown" . }}
{{- include "digital-gold.guardConfig" . }}
{{- include "digital-gold.guardScaling" . }}
{{- include "digital-gold.guardIngress" . }}
{{- include "digital-gold.guardGateway" . }}
{{- include "digital-gold.guardNetwork" . }}
{{- include "digital-gold.guardConnections" . }}
{{- include "digital-gold.guardEnvironment" . }}
{{- end }}

{{- define "digital-gold.guardRequired" -}}
{{- if not .Values.image.repository }}
{{- fail "image.repository is needed: where the image is, with its registry" }}
{{- end }}
{{- if eq .Values.image.tag "latest" }}
{{- fail "image.tag must name a version, such as 1.2.3: latest does not say which version runs" }}
{{- end }}
{{- range $component := list "customer" "admin" "accounting" "worker" }}
{{- $given := dict "root" $ "component" $component }}
{{- if not (include "digital-gold.secretName" $given) }}
{{- $own := (include "digital-gold.processSecrets" $given | fromYaml).own }}
{{- $missing := list }}
{{- range $own }}
{{- if not (hasKey $.Values.secretsFrom .) }}
{{- $missing = append $missing . }}
{{- end }}
{{- end }}
{{- with $missing }}
{{- $what := printf "or %s.existingSecret" $component }}
{{- $else := printf "or secretsFrom with %s" (join ", " .) }}
{{- fail (printf "secrets.existingSecret is needed, %s: a Secret with its secrets; %s" $what $else) }}
{{- end }}
{{- end }}
{{- end }}
{{- $secret := include "digital-gold.migrationsSecret" . }}
{{- if not (or .Values.migrations.existingSecret (hasKey .Values.secretsFrom $secret)) }}
{{- fail (printf "migrations.existingSecret is needed: a Secret with %s; or secretsFrom with it" $secret) }}
{{- end }}
{{- if not .Values.objectStore.type }}
{{- $s3 := "s3 (a bucket, as EKS, GKE and AKS have one)" }}
{{- $files := "filesystem (a ReadWriteMany volume that all pods mount)" }}
{{- fail (printf "objectStore.type is needed: %s, %s or none (no documents, no product images)" $s3 $files) }}
{{- end }}
{{- end }}

{{- define "digital-gold.guardShutdown" -}}
{{- $progress := int64 .Values.rollingUpdate.progressDeadlineSeconds }}
{{- if le $progress (int64 .Values.migrations.activeDeadlineSeconds) }}
{{- $what := "rollingUpdate.progressDeadlineSeconds must be more than migrations.activeDeadlineSeconds" }}
{{- fail (printf "%s: new pods wait for the migrations" $what) }}
{{- end }}
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

{{/* Variables that the chart sets, as a YAML list. */}}
{{- define "digital-gold.ownedVariables" -}}
{{- $owned := list "PORT" "INTERNAL_PORT" "SETTINGS_DIR" "OBJECT_STORE" "OBJECT_STORE_DIR" }}
{{- $owned = concat $owned (list "SHUTDOWN_DRAIN_MS" "SHUTDOWN_GRACE_MS") }}
{{- concat $owned (list "DATABASE_POOL_SIZE" "DATABASE_SSLMODE" "DATABASE_CA_FILE") | toYaml }}
{{- end }}

{{/* Matches the name of a secret. */}}
{{- define "digital-gold.secretPattern" -}}
{{- $named := "(MIGRATE_)?DATABASE_URL|REDIS_URL|BLIND_INDEX_KEY" }}
{{- $alike := "[A-Z0-9_]*(SECRETS?|TOKEN|PASSWORD|PEPPER|KEYRING|AUTH_KEY|SECRET_ACCESS_KEY)" }}
{{- printf "^(%s|%s)$" $named $alike }}
{{- end }}

{{- define "digital-gold.guardConfig" -}}
{{- $owned := include "digital-gold.ownedVariables" . | fromYamlArray }}
{{- $secret := include "digital-gold.secretPattern" . }}
{{- $maps := dict "config" .Values.config }}
{{- range $component := list "customer" "admin" "accounting" "worker" }}
{{- $_ := set $maps (printf "%s.config" $component) (index $.Values $component).config }}
{{- end }}
{{- $_ := set $maps "migrations.config" .Values.migrations.config }}
{{- range $where, $map := $maps }}
{{- range $name, $_ := $map }}
{{- if has $name $owned }}
{{- $see := "shutdown, objectStore and database" }}
{{- fail (printf "%s.%s is set by the chart: see %s" $where $name $see) }}
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
{{- range .paths }}
{{- if regexMatch "^/(metrics|healthz|readyz)" . }}
{{- $why := "probes and metrics are for the cluster alone" }}
{{- fail (printf "ingress.%s.paths must not have %s: %s" $component . $why) }}
{{- end }}
{{- end }}
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
{{- $where := ternary "gateway" "ingress" (index .root.Values.gateway .component).enabled }}
{{- $what := ternary "hosts" "host" (eq $where "gateway") }}
{{- fail (printf "INTERNAL_HOSTNAMES names %s.%s.%s: it would show metrics" $where .component $what) }}
{{- end }}
{{- end }}

{{/* What may be open at once against the database, where its limit is told. */}}
{{- define "digital-gold.guardConnections" -}}
{{- $limit := int64 .Values.database.maxConnections }}
{{- if $limit }}
{{- $sum := include "digital-gold.connections" . | fromYaml }}
{{- if gt (int64 $sum.total) $limit }}
{{- $parts := list }}
{{- range $component := list "customer" "admin" "accounting" "worker" }}
{{- $of := get $sum $component }}
{{- $parts = append $parts (printf "%s %d pods of %d" $component (int64 $of.pods) (int64 $of.each)) }}
{{- end }}
{{- $what := printf "database.maxConnections is %d, and a rolling update may open %d" $limit (int64 $sum.total) }}
{{- fail (printf "%s (%s, migrations 4): lower replicas or database.poolSize" $what (join ", " $parts)) }}
{{- end }}
{{- end }}
{{- end }}

{{/* `extraEnv` must not undo what the chart decides, or hold a secret in clear. */}}
{{- define "digital-gold.guardEnvironment" -}}
{{- $lists := dict "extraEnv" .Values.extraEnv }}
{{- range $component := list "customer" "admin" "accounting" "worker" "migrations" }}
{{- $_ := set $lists (printf "%s.extraEnv" $component) (index $.Values $component).extraEnv }}
{{- end }}
{{- range $where, $entries := $lists }}
{{- range $entries }}
{{- if has .name (include "digital-gold.ownedVariables" $ | fromYamlArray) }}
{{- fail (printf "%s: %s is set by the chart: see shutdown, objectStore and database" $where .name) }}
{{- end }}
{{- if and .value (regexMatch (include "digital-gold.secretPattern" $) .name) }}
{{- fail (printf "%s: %s is a secret: name it by valueFrom, or in secretsFrom" $where .name) }}
{{- end }}
{{- end }}
{{- end }}
{{- range $name, $_ := .Values.secretsFrom }}
{{- if not (has $name (include "digital-gold.secretVariables" $ | fromYamlArray)) }}
{{- $known := include "digital-gold.secretVariables" $ | fromYamlArray | join ", " }}
{{- fail (printf "secretsFrom.%s is read by no process: it may name %s" $name $known) }}
{{- end }}
{{- end }}
{{- end }}
