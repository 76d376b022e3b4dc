{{/* A Service of an API's pods. In: root, component, and suffix and annotations if any. */}}
{{- define "digital-gold.service" -}}
{{- $service := (index .root.Values .component).service -}}
apiVersion: v1
kind: Service
metadata:
  {{- include "digital-gold.metadata" . | nindent 2 }}
spec:
  type: ClusterIP
  selector:
    {{- include "digital-gold.selectorLabels" . | nindent 4 }}
  # The internal port is on no Service: probes and metrics go to the pods.
  ports:
    - name: http
      port: {{ $service.port }}
      targetPort: http
      appProtocol: http
{{- end }}
