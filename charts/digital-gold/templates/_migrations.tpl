{{- define "digital-gold.migrationsContainer" -}}
{{- $values := .Values.migrations -}}
{{ include "digital-gold.containerBase" (dict "root" . "name" "migrate") }}
args:
  - node
  - --enable-source-maps
  - dist/migrate/main.js
env:
  {{- /* Of the configuration only these: they decide which secrets are refused. */}}
  {{- with .Values.config.APP_MODE }}
  - name: APP_MODE
    value: {{ . | quote }}
  {{- end }}
  {{- with .Values.config.ALLOW_PLAIN_STORES }}
  - name: ALLOW_PLAIN_STORES
    value: {{ include "digital-gold.text" . | quote }}
  {{- end }}
  - name: MIGRATE_WAIT_SECONDS
    value: {{ include "digital-gold.text" $values.waitSeconds | quote }}
  - name: MIGRATE_DATABASE_URL_FILE
    value: {{ include "digital-gold.secretsDir" . }}/MIGRATE_DATABASE_URL
resources:
  {{- toYaml $values.resources | nindent 2 }}
volumeMounts:
  {{- include "digital-gold.commonVolumeMounts" . | nindent 2 }}
  {{- include "digital-gold.secretMount" . | nindent 2 }}
{{- end }}

{{/* What the migration Job does; its name is made from this, as a Job can't be changed. */}}
{{- define "digital-gold.migrationsSpec" -}}
{{- $values := .Values.migrations }}
{{- $account := include "digital-gold.serviceAccountName" . -}}
backoffLimit: {{ $values.backoffLimit }}
activeDeadlineSeconds: {{ $values.activeDeadlineSeconds }}
template:
  metadata:
    labels:
      {{- include "digital-gold.podLabels" (dict "root" . "component" "migrate") | nindent 6 }}
    annotations:
      # What came with the processes' configuration may need what they need: look again.
      checksum/config: {{ toYaml .Values.config | sha256sum }}
      {{- with .Values.secrets.revision }}
      digital-gold/secrets-revision: {{ . | quote }}
      {{- end }}
      {{- with $values.podAnnotations }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
  spec:
    restartPolicy: Never
    {{- $base := dict "root" . "serviceAccountName" $account "token" false }}
    {{- include "digital-gold.podBase" $base | nindent 4 }}
    {{- with include "digital-gold.placement" $values | trim }}
    {{- . | nindent 4 }}
    {{- end }}
    containers:
      - {{ include "digital-gold.migrationsContainer" . | nindent 8 | trim }}
    volumes:
      {{- include "digital-gold.commonVolumes" . | nindent 6 }}
      - name: secrets
        secret:
          secretName: {{ $values.existingSecret }}
          items:
            {{- include "digital-gold.secretItems" (list "MIGRATE_DATABASE_URL") | nindent 12 }}
{{- end }}
