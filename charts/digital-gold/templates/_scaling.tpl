{{/* The HorizontalPodAutoscaler of a process. In: root, component. */}}
{{- define "digital-gold.horizontalPodAutoscaler" -}}
{{- $scaling := (index .root.Values .component).autoscaling -}}
{{- if $scaling.enabled -}}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  {{- include "digital-gold.metadata" . | nindent 2 }}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: {{ include "digital-gold.componentName" . }}
  minReplicas: {{ $scaling.minReplicas }}
  maxReplicas: {{ $scaling.maxReplicas }}
  metrics:
    {{- with $scaling.metrics }}
    {{- toYaml . | nindent 4 }}
    {{- else }}
    - type: Resource
      resource:
        name: cpu
        target:
          type: Utilization
          averageUtilization: {{ $scaling.targetCPUUtilizationPercentage }}
    {{- end }}
  {{- with $scaling.behavior }}
  behavior:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
{{- end }}

{{/* The PodDisruptionBudget of a process. In: root, component. */}}
{{- define "digital-gold.podDisruptionBudget" -}}
{{- $budget := (index .root.Values .component).podDisruptionBudget -}}
{{- if $budget.enabled -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  {{- include "digital-gold.metadata" . | nindent 2 }}
spec:
  maxUnavailable: {{ $budget.maxUnavailable }}
  # A pod that is not ready anyway must not keep a node from being drained.
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "digital-gold.selectorLabels" . | nindent 6 }}
{{- end }}
{{- end }}

{{/*
Connections to the database that each process may open while it is updated, and their sum with the
migrations', as YAML. Beside its pool a pod has one for its readiness, the worker six for its queue,
admin and accounting two for the files that they export.
*/}}
{{- define "digital-gold.connections" -}}
{{- $beside := dict "customer" 1 "admin" 3 "accounting" 3 "worker" 7 }}
{{- $result := dict }}
{{- $total := 4 }}
{{- range $component := list "customer" "admin" "accounting" "worker" }}
{{- $values := index $.Values $component }}
{{- $pods := int64 $values.replicas }}
{{- if $values.autoscaling.enabled }}
{{- $pods = int64 $values.autoscaling.maxReplicas }}
{{- end }}
{{- $surge := toString $.Values.rollingUpdate.maxSurge }}
{{- if hasSuffix "%" $surge }}
{{- /* A percentage is rounded up, as Kubernetes does. */}}
{{- $pods = add $pods (divf (mulf $pods (trimSuffix "%" $surge | int64)) 100 | ceil | int64) }}
{{- else }}
{{- $pods = add $pods (int64 $.Values.rollingUpdate.maxSurge) }}
{{- end }}
{{- $each := add (index $.Values.database.poolSize $component | int64) (index $beside $component) }}
{{- $_ := set $result $component (dict "pods" $pods "each" $each) }}
{{- $total = add $total (mul $pods $each) }}
{{- end }}
{{- $_ := set $result "total" $total }}
{{- toYaml $result }}
{{- end }}
