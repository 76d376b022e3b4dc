{{/* Name by which Traefik knows what all APIs of the release have in common. */}}
{{- define "digital-gold.edgeName" -}}
{{- printf "%s-%s-edge" .Release.Namespace (include "digital-gold.fullname" .) }}
{{- end }}

{{/*
Annotations of an API's Service as YAML: how long Traefik tries to reach a pod. In: root, component,
given (which win).
*/}}
{{- define "digital-gold.serviceAnnotations" -}}
{{- $all := dict }}
{{- if and (index .root.Values.ingress .component).enabled (eq .root.Values.ingress.controller "traefik") }}
{{- $transport := printf "%s@kubernetescrd" (include "digital-gold.edgeName" .root) }}
{{- $_ := set $all "traefik.ingress.kubernetes.io/service.serverstransport" $transport }}
{{- end }}
{{- with merge dict .given $all }}
{{- toYaml . }}
{{- end }}
{{- end }}

{{/* IngressClass of an API: its own, else the class that its kind of caller comes from. */}}
{{- define "digital-gold.ingressClass" -}}
{{- $ingress := .root.Values.ingress }}
{{- $isInternal := eq .component "accounting" }}
{{- $usual := ternary $ingress.internalClassName $ingress.publicClassName $isInternal }}
{{- default $usual (index $ingress .component).className }}
{{- end }}

{{/*
Annotations that cap the body and keep a session at one pod, in the controller's own words, as
YAML. In: root, component, suffix, bodyLimitBytes, sticky (a bool).
*/}}
{{- define "digital-gold.controllerAnnotations" -}}
{{- $name := include "digital-gold.componentName" . }}
{{- if .suffix }}
{{- $name = printf "%s-%s" $name .suffix }}
{{- end }}
{{- $middleware := printf "%s-%s@kubernetescrd" .root.Release.Namespace $name }}
{{- if eq .root.Values.ingress.controller "traefik" }}
traefik.ingress.kubernetes.io/router.middlewares: {{ $middleware }}
{{- else if eq .root.Values.ingress.controller "nginx" }}
nginx.ingress.kubernetes.io/proxy-body-size: {{ int64 .bodyLimitBytes | quote }}
{{- if .sticky }}
nginx.ingress.kubernetes.io/affinity: cookie
nginx.ingress.kubernetes.io/session-cookie-name: digital-gold-feed
# A quiet socket is not a dead one.
nginx.ingress.kubernetes.io/proxy-read-timeout: "3600"
nginx.ingress.kubernetes.io/proxy-send-timeout: "3600"
{{- end }}
{{- end }}
{{- end }}

{{/*
The annotations of an Ingress as YAML. Given ones win, but Traefik's list of middlewares is added
to, so that nobody drops the cap unknowingly. What tries another pod comes last: the others are
passed once. In: as above, and given.
*/}}
{{- define "digital-gold.ingressAnnotations" -}}
{{- $middlewares := "traefik.ingress.kubernetes.io/router.middlewares" }}
{{- $own := default dict (include "digital-gold.controllerAnnotations" . | fromYaml) }}
{{- $all := dict }}
{{- range $from := list $own .given }}
{{- range $key, $value := $from }}
{{- if and (eq $key $middlewares) (hasKey $all $key) }}
{{- $value = printf "%s,%s" (get $all $key) $value }}
{{- end }}
{{- $_ := set $all $key $value }}
{{- end }}
{{- end }}
{{- if eq .root.Values.ingress.controller "traefik" }}
{{- $again := printf "%s@kubernetescrd" (include "digital-gold.edgeName" .root) }}
{{- $_ := set $all $middlewares (printf "%s,%s" (get $all $middlewares) $again) }}
{{- end }}
{{- if $all }}
{{- toYaml $all }}
{{- end }}
{{- end }}

{{/*
An Ingress, and for Traefik the Middleware with its cap. In: root, component, suffix (may be
empty), paths (list of path and pathType), service, bodyLimitBytes, sticky, given (annotations).
*/}}
{{- define "digital-gold.ingress" -}}
{{- $values := index .root.Values.ingress .component -}}
{{- $annotations := include "digital-gold.ingressAnnotations" . | fromYaml -}}
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  {{- include "digital-gold.metadata" (merge (dict "annotations" $annotations) .) | nindent 2 }}
spec:
  ingressClassName: {{ include "digital-gold.ingressClass" . }}
  {{- with $values.tls }}
  tls:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  rules:
    - host: {{ $values.host | quote }}
      http:
        paths:
          {{- range .paths }}
          - path: {{ .path }}
            pathType: {{ .pathType }}
            backend:
              service:
                name: {{ $.service }}
                port:
                  name: http
          {{- end }}
{{- if eq .root.Values.ingress.controller "traefik" }}
---
apiVersion: traefik.io/v1alpha1
kind: Middleware
metadata:
  {{- include "digital-gold.metadata" . | nindent 2 }}
spec:
  buffering:
    maxRequestBodyBytes: {{ int64 .bodyLimitBytes }}
{{- end }}
{{- end }}

{{/* The Ingress of a whole API. In: root, component. */}}
{{- define "digital-gold.apiIngress" -}}
{{- $values := index .root.Values.ingress .component }}
{{- if $values.enabled }}
{{- $paths := list }}
{{- range $values.paths }}
{{- $paths = append $paths (dict "path" . "pathType" "Prefix") }}
{{- end }}
{{- $limit := $values.bodyLimitBytes }}
{{- $annotations := $values.annotations }}
{{- if and .root.Values.ingress.oneIngressPerHost (eq .component "customer") }}
{{- $paths = append $paths (dict "path" "/socket.io" "pathType" "Prefix") }}
{{- $limit = max (int64 $limit) (int64 $values.documentBodyLimitBytes) }}
{{- $annotations = merge dict $values.socketsAnnotations $annotations }}
{{- end }}
{{- $own := dict "suffix" "" "paths" $paths "sticky" false "given" $annotations }}
{{- $_ := set $own "bodyLimitBytes" $limit }}
{{- $_ := set $own "service" (include "digital-gold.componentName" .) }}
{{- include "digital-gold.ingress" (merge $own .) }}
{{- end }}
{{- end }}
