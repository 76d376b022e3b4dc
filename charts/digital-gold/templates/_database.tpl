{{- define "digital-gold.databaseCaDir" -}}/etc/digital-gold/database-ca{{- end }}

{{/* Non-empty where the database's address is given in parts. */}}
{{- define "digital-gold.hasDatabaseParts" -}}
{{- if or (hasKey .Values.config "DATABASE_HOST") (hasKey .Values.secretsFrom "DATABASE_HOST") }}yes{{ end }}
{{- end }}

{{/* Parts of the database's address that are no secrets, but may stand in a Secret. */}}
{{- define "digital-gold.databaseParts" -}}
{{- list "DATABASE_HOST" "DATABASE_PORT" "DATABASE_NAME" "DATABASE_USER" | toYaml }}
{{- end }}

{{/* Every variable that may be in a Secret of `secretsFrom`, as a YAML list. */}}
{{- define "digital-gold.secretVariables" -}}
{{- $names := include "digital-gold.databaseParts" . | fromYamlArray }}
{{- $names = concat $names (list "DATABASE_URL" "DATABASE_PASSWORD" "MIGRATE_DATABASE_URL") }}
{{- $names = concat $names (list "MIGRATE_DATABASE_USER" "MIGRATE_DATABASE_PASSWORD") }}
{{- range $component := list "customer" "admin" "accounting" "worker" }}
{{- $secrets := include "digital-gold.processSecrets" (dict "root" $ "component" $component) | fromYaml }}
{{- $names = concat $names $secrets.own $secrets.parties }}
{{- end }}
{{- $names | uniq | sortAlpha | toYaml }}
{{- end }}

{{/* The volume with the certificate authority of the database, if one is named. */}}
{{- define "digital-gold.databaseCaVolume" -}}
{{- with .Values.database.ca }}
{{- if .secretName }}
- name: database-ca
  secret:
    secretName: {{ .secretName }}
    items:
      - key: {{ .key }}
        path: ca.crt
{{- else if .configMapName }}
- name: database-ca
  configMap:
    name: {{ .configMapName }}
    items:
      - key: {{ .key }}
        path: ca.crt
{{- end }}
{{- end }}
{{- end }}

{{- define "digital-gold.databaseCaMount" -}}
{{- with .Values.database.ca }}
{{- if or .secretName .configMapName }}
- name: database-ca
  mountPath: {{ include "digital-gold.databaseCaDir" . }}
  readOnly: true
{{- end }}
{{- end }}
{{- end }}
