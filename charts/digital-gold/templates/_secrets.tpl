{{- define "digital-gold.secretsDir" -}}/etc/digital-gold/secrets{{- end }}

{{/*
The secrets that a process reads, by backend/docs/configuration.md, which deploy's tests hold them
against. `own`: without them no pod starts. `parties`: of collaborators that the configuration may
choose, and the keys of personal data, which a key service may hold in place of PII_KEYRING; the
process refuses by name to start without one that it needs. In: root, component.
*/}}
{{- define "digital-gold.processSecrets" -}}
{{- $own := list "BLIND_INDEX_KEY" "CREDENTIAL_PEPPER" "REDIS_URL" }}
{{- $own = append $own (ternary "DATABASE_PASSWORD" "DATABASE_URL" (ne (include "digital-gold.hasDatabaseParts" .root) "")) }}
{{- $keys := list "AWS_KMS_SECRET_ACCESS_KEY" "PII_KEYRING" "REDIS_SENTINEL_PASSWORD" "VAULT_TOKEN" }}
{{- $gateways := list "CASHFREE_CLIENT_SECRET" "RAZORPAY_KEY_SECRET" "SANDBOX_GATEWAY_KEY_SECRET" }}
{{- $money := concat $gateways (list "RAZORPAYX_KEY_SECRET" "SAFEGOLD_TOKEN") }}
{{- $gatewayWebhooks := list "CASHFREE_WEBHOOK_SECRETS" "RAZORPAY_WEBHOOK_SECRETS" "SANDBOX_GATEWAY_WEBHOOK_SECRETS" }}
{{- $webhooks := append $gatewayWebhooks "PAYOUT_WEBHOOK_SECRETS" }}
{{- $parties := $keys }}
{{- if eq .component "customer" }}
{{- $own = append $own "JWT_SECRET" }}
{{- $parties = concat $keys $money $webhooks (list "DATABASE_READ_URL" "KYC_WEBHOOK_SECRETS" "MSG91_AUTH_KEY" "S3_SECRET_ACCESS_KEY") }}
{{- else if eq .component "admin" }}
{{- $own = append $own "JWT_SECRET" }}
{{- $parties = concat $keys $money (list "DATABASE_READ_URL" "GITHUB_TOKEN" "S3_SECRET_ACCESS_KEY") }}
{{- else if eq .component "accounting" }}
{{- $parties = append $keys "DATABASE_READ_URL" }}
{{- else if eq .component "worker" }}
{{- $parties = concat $keys $money (list "GITHUB_TOKEN" "JOBS_DATABASE_URL" "PROOF_SIGNING_KEYS" "S3_SECRET_ACCESS_KEY") }}
{{- end }}
{{- dict "own" (sortAlpha $own) "parties" (sortAlpha $parties) | toYaml }}
{{- end }}

{{/* The Secret of a process: its own, else the shared one. In: root, component. */}}
{{- define "digital-gold.secretName" -}}
{{- default .root.Values.secrets.existingSecret (index .root.Values .component).existingSecret }}
{{- end }}

{{/* `NAME_FILE` for every secret of a process. In: root, component. */}}
{{- define "digital-gold.secretFiles" -}}
{{- $secrets := include "digital-gold.processSecrets" . | fromYaml }}
{{- range concat $secrets.own $secrets.parties }}
- name: {{ . }}_FILE
  value: {{ include "digital-gold.secretsDir" $ }}/{{ . }}
{{- end }}
{{- end }}

{{/* Parts of an address as variables from the Secret's keys that hold them. In: root, names. */}}
{{- define "digital-gold.variablesFromSecrets" -}}
{{- range $name := .names }}
{{- with get $.root.Values.secretsFrom $name }}
- name: {{ $name }}
  valueFrom:
    secretKeyRef:
      name: {{ .name }}
      key: {{ .key }}
{{- end }}
{{- end }}
{{- end }}

{{/*
Secrets as files of their variables' names: those of `secretsFrom` each from its own Secret, the
others from one. In: root, names, secretName (may be empty), optional (a bool).
*/}}
{{- define "digital-gold.secretSources" -}}
{{- $elsewhere := .root.Values.secretsFrom }}
{{- $here := list }}
{{- range $name := .names }}
{{- with get $elsewhere $name }}
- secret:
    name: {{ .name }}
    items:
      - key: {{ .key }}
        path: {{ $name }}
{{- else }}
{{- $here = append $here $name }}
{{- end }}
{{- end }}
{{- if and $here .secretName }}
- secret:
    name: {{ .secretName }}
    {{- if .optional }}
    optional: true
    {{- end }}
    items:
      {{- range $here }}
      - key: {{ . }}
        path: {{ . }}
      {{- end }}
{{- end }}
{{- end }}

{{/* The volume with the secrets of a process and no others. In: root, component. */}}
{{- define "digital-gold.secretVolume" -}}
{{- $secrets := include "digital-gold.processSecrets" . | fromYaml }}
{{- $name := include "digital-gold.secretName" . }}
{{- $own := dict "root" .root "secretName" $name "names" $secrets.own "optional" false }}
{{- $parties := dict "root" .root "secretName" $name "names" $secrets.parties "optional" true -}}
- name: secrets
  projected:
    sources:
      {{- range list $own $parties }}
      {{- with include "digital-gold.secretSources" . | trim }}
      {{- . | nindent 6 }}
      {{- end }}
      {{- end }}
{{- end }}

{{/* The mount of the volume above. */}}
{{- define "digital-gold.secretMount" -}}
- name: secrets
  mountPath: {{ include "digital-gold.secretsDir" . }}
  readOnly: true
{{- end }}
