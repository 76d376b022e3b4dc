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
    - type: Resource
      resource:
        name: cpu
        target:
          type: Utilization
          averageUtilization: {{ $scaling.targetCPUUtilizationPercentage }}
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
