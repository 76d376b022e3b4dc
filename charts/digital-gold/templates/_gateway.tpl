{{/* Gateways of an API, as a YAML list: its own, else those that its kind of caller comes by. */}}
{{- define "digital-gold.parentRefs" -}}
{{- $gateway := .root.Values.gateway }}
{{- $isInternal := eq .component "accounting" }}
{{- $usual := ternary $gateway.internalParentRefs $gateway.publicParentRefs $isInternal }}
{{- default $usual (index $gateway .component).parentRefs | toYaml }}
{{- end }}

{{/* One rule of a route. In: paths (list of path and type), service, port. */}}
{{- define "digital-gold.routeRule" -}}
- matches:
    {{- range .paths }}
    - path:
        type: PathPrefix
        value: {{ . }}
    {{- end }}
  backendRefs:
    - name: {{ .service }}
      port: {{ .port }}
{{- end }}

{{/* The HTTPRoute of an API. In: root, component. */}}
{{- define "digital-gold.httpRoute" -}}
{{- $values := index .root.Values.gateway .component }}
{{- if $values.enabled -}}
{{- $name := include "digital-gold.componentName" . }}
{{- $port := (index .root.Values .component).service.port }}
{{- $paths := (index .root.Values.ingress .component).paths -}}
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata:
  {{- include "digital-gold.metadata" (merge (dict "annotations" $values.annotations) .) | nindent 2 }}
spec:
  parentRefs:
    {{- include "digital-gold.parentRefs" . | nindent 4 }}
  hostnames:
    {{- toYaml $values.hosts | nindent 4 }}
  rules:
    {{- include "digital-gold.routeRule" (dict "paths" $paths "service" $name "port" $port) | nindent 4 }}
    {{- if eq .component "customer" }}
    {{- $sockets := dict "paths" (list "/socket.io") "service" (printf "%s-sockets" $name) "port" $port }}
    {{- include "digital-gold.routeRule" $sockets | nindent 4 }}
    {{- end }}
{{- end }}
{{- end }}

{{- define "digital-gold.guardGateway" -}}
{{- $gateway := .Values.gateway }}
{{- $public := $gateway.publicParentRefs }}
{{- range (include "digital-gold.parentRefs" (dict "root" $ "component" "accounting") | fromYamlArray) }}
{{- if has . $public }}
{{- $why := "the accounting API is never on the internet" }}
{{- fail (printf "gateway.accounting.parentRefs must not be one of gateway.publicParentRefs: %s" $why) }}
{{- end }}
{{- end }}
{{- $hosts := list }}
{{- range $component := list "customer" "admin" "accounting" }}
{{- with index $gateway $component }}
{{- if .enabled }}
{{- if (index $.Values.ingress $component).enabled }}
{{- fail (printf "gateway.%s and ingress.%s are both enabled: an API has one way in" $component $component) }}
{{- end }}
{{- if not .hosts }}
{{- fail (printf "gateway.%s.hosts is needed while it is enabled" $component) }}
{{- end }}
{{- if not (include "digital-gold.parentRefs" (dict "root" $ "component" $component) | fromYamlArray) }}
{{- $usual := ternary "internalParentRefs" "publicParentRefs" (eq $component "accounting") }}
{{- fail (printf "gateway.%s is needed while gateway.%s is enabled" $usual $component) }}
{{- end }}
{{- range .hosts }}
{{- if has . $hosts }}
{{- fail (printf "gateway.%s.hosts: %s is another API's: each has a host of its own" $component .) }}
{{- end }}
{{- $hosts = append $hosts . }}
{{- include "digital-gold.guardMetrics" (dict "root" $ "component" $component "host" .) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
