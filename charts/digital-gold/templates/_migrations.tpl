{{/* The secret of the migrations: the address of the database, or the password beside its parts. */}}
{{- define "digital-gold.migrationsSecret" -}}
{{- if include "digital-gold.hasDatabaseParts" . }}MIGRATE_DATABASE_PASSWORD{{ else }}MIGRATE_DATABASE_URL{{ end }}
{{- end }}

{{/* Variables of `config` that the migrations read as well. */}}
{{- define "digital-gold.migrationsVariables" -}}
{{- $stores := list "APP_MODE" "ALLOW_PLAIN_STORES" "DATABASE_HOST" "DATABASE_PORT" "DATABASE_NAME" }}
{{- concat $stores (list "NODE_EXTRA_CA_CERTS") | toYaml }}
{{- end }}

{{- define "digital-gold.migrationsContainer" -}}
{{- $values := .Values.migrations -}}
{{ include "digital-gold.containerBase" (dict "root" . "name" "migrate") }}
args:
  - node
  - --enable-source-maps
  - dist/migrate/main.js
{{- $directory := include "digital-gold.secretsDir" . }}
{{- $environment := dict "MIGRATE_WAIT_SECONDS" (include "digital-gold.text" $values.waitSeconds) }}
{{- /* Of the configuration only what decides about secrets, the database's address and the way out. */}}
{{- range $name, $value := .Values.config }}
{{- if has $name (include "digital-gold.migrationsVariables" $ | fromYamlArray) }}
{{- $_ := set $environment $name (include "digital-gold.text" $value) }}
{{- end }}
{{- end }}
{{- range $name, $value := $values.config }}
{{- $_ := set $environment $name (include "digital-gold.text" $value) }}
{{- end }}
{{- $environment = merge $environment (include "digital-gold.databaseTls" . | fromYaml) }}
{{- $secret := include "digital-gold.migrationsSecret" . }}
{{- $_ := set $environment (printf "%s_FILE" $secret) (printf "%s/%s" $directory $secret) }}
{{- $variables := list }}
{{- range $name, $value := $environment }}
{{- $variables = append $variables (dict "name" $name "value" $value) }}
{{- end }}
{{- $names := list "DATABASE_HOST" "DATABASE_PORT" "DATABASE_NAME" "MIGRATE_DATABASE_USER" }}
{{- $fromSecrets := include "digital-gold.variablesFromSecrets" (dict "root" . "names" $names) }}
{{- $given := dict "root" . "component" "migrations" }}
{{- $_ := set $given "variables" (printf "%s%s" (toYaml $variables) $fromSecrets) }}
{{ include "digital-gold.containerEnvironment" $given | trim }}
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
      {{- with merge dict $values.podAnnotations .Values.commonAnnotations }}
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
      {{- $given := dict "root" . "secretName" $values.existingSecret "optional" false }}
      {{- $_ := set $given "names" (list (include "digital-gold.migrationsSecret" .)) }}
      - name: secrets
        projected:
          sources:
            {{- include "digital-gold.secretSources" $given | trim | nindent 12 }}
{{- end }}
