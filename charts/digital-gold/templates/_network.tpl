{{/* NetworkPolicy ports. In: ports, protocols. */}}
{{- define "digital-gold.policyPorts" -}}
{{- $protocols := default (list "TCP") .protocols }}
{{- range $port := .ports }}
{{- range $protocol := $protocols }}
- port: {{ $port }}
  protocol: {{ $protocol }}
{{- end }}
{{- end }}
{{- end }}

{{/* One egress rule; no peer is anywhere. In: to, ports, and protocols if any. */}}
{{- define "digital-gold.egressRule" -}}
- ports:
    {{- include "digital-gold.policyPorts" . | trim | nindent 4 }}
  {{- with .to }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}

{{/*
One ingress rule to a named port. No peer is nobody, so the rule is left out: to Kubernetes an empty
list would be everybody. In: from, port.
*/}}
{{- define "digital-gold.ingressRule" -}}
{{- if .from -}}
- ports:
    - port: {{ .port }}
      protocol: TCP
  from:
    {{- toYaml .from | nindent 4 }}
{{- end }}
{{- end }}

{{- define "digital-gold.dnsRule" -}}
{{- $dns := .Values.networkPolicy.egress.dns }}
{{- $given := dict "to" $dns.to "ports" $dns.ports "protocols" (list "UDP" "TCP") }}
{{- include "digital-gold.egressRule" $given }}
{{- end }}

{{/*
Peers that may call an API: the controller of its class, others by name, the release's own test.
In: root, component.
*/}}
{{- define "digital-gold.apiClients" -}}
{{- $policy := .root.Values.networkPolicy }}
{{- $ingress := .root.Values.ingress }}
{{- $class := include "digital-gold.ingressClass" . }}
{{- $clients := index $policy.extraClients .component }}
{{- if (index $ingress .component).enabled }}
{{- if eq $class $ingress.publicClassName }}
{{- $clients = concat $clients $policy.ingressControllers.public }}
{{- else if eq $class $ingress.internalClassName }}
{{- $clients = concat $clients $policy.ingressControllers.internal }}
{{- end }}
{{- end }}
{{- if (index .root.Values.gateway .component).enabled }}
{{- $gateway := .root.Values.gateway }}
{{- range (include "digital-gold.parentRefs" . | fromYamlArray) }}
{{- if has . $gateway.publicParentRefs }}
{{- $clients = concat $clients $policy.ingressControllers.public }}
{{- else if has . $gateway.internalParentRefs }}
{{- $clients = concat $clients $policy.ingressControllers.internal }}
{{- end }}
{{- end }}
{{- $clients = uniq $clients }}
{{- end }}
{{- if and .root.Values.tests.enabled (eq .component "admin") }}
{{- $test := dict "root" .root "component" "test" }}
{{- $labels := include "digital-gold.selectorLabels" $test | fromYaml }}
{{- $clients = append $clients (dict "podSelector" (dict "matchLabels" $labels)) }}
{{- end }}
{{- if $clients }}
{{- toYaml $clients }}
{{- end }}
{{- end }}

{{/* What may reach a process, and what it may reach. In: root, component. */}}
{{- define "digital-gold.networkPolicy" -}}
{{- $policy := .root.Values.networkPolicy }}
{{- if $policy.enabled -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  {{- include "digital-gold.metadata" . | nindent 2 }}
spec:
  podSelector:
    matchLabels:
      {{- include "digital-gold.selectorLabels" . | nindent 6 }}
  policyTypes:
    - Ingress
    - Egress
  ingress:
    {{- $readers := dict "port" "internal" "from" $policy.monitoring }}
    {{- with include "digital-gold.ingressRule" $readers }}
    {{- . | nindent 4 }}
    {{- end }}
    {{- if ne .component "worker" }}
    {{- $clients := include "digital-gold.apiClients" . | fromYamlArray }}
    {{- with include "digital-gold.ingressRule" (dict "port" "http" "from" $clients) }}
    {{- . | nindent 4 }}
    {{- end }}
    {{- end }}
  egress:
    {{- include "digital-gold.dnsRule" .root | nindent 4 }}
    {{- include "digital-gold.egressRule" $policy.egress.database | nindent 4 }}
    {{- include "digital-gold.egressRule" $policy.egress.cache | nindent 4 }}
    {{- if ne .component "accounting" }}
    {{- include "digital-gold.egressRule" $policy.egress.https | nindent 4 }}
    {{- end }}
    {{- with $policy.egress.extra }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end }}
{{- end }}
