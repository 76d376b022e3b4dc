{{/*
The secrets of the testbed. All are published here and marked `dev-only-`, which the service
refuses in production, in clear and in base64 alike.
*/}}
{{- define "testbed.migratePassword" -}}dev-only-migrate-password{{- end }}
{{- define "testbed.applicationPassword" -}}dev-only-application-password{{- end }}
{{- define "testbed.administratorPassword" -}}dev-only-administrator-password{{- end }}
{{- define "testbed.database" -}}digital_gold{{- end }}

{{/* A key of 32 bytes as base64; takes its name. */}}
{{- define "testbed.key" -}}
{{- printf "dev-only-%s%s" . (repeat 32 ".") | trunc 32 | b64enc -}}
{{- end }}

{{/* An address of the database; takes {root, role, password}. */}}
{{- define "testbed.databaseUrl" -}}
{{- printf "postgresql://%s:%s@%s-postgres:5432/%s" .role .password .root.Values.name
      (include "testbed.database" .root) -}}
{{- end }}

{{/* What the service and the sandbox share. */}}
{{- define "testbed.sharedSecrets" -}}
SAFEGOLD_TOKEN: dev-only-safegold-token-of-the-testbed
SANDBOX_GATEWAY_KEY_SECRET: dev-only-sandbox-gateway-key-secret-000001
SANDBOX_GATEWAY_WEBHOOK_SECRETS: dev-only-sandbox-gateway-webhook-secret-01
CASHFREE_CLIENT_SECRET: dev-only-cashfree-client-secret-0000000001
CASHFREE_WEBHOOK_SECRETS: dev-only-cashfree-client-secret-0000000001
RAZORPAY_KEY_SECRET: dev-only-razorpay-key-secret-00000000001
RAZORPAY_WEBHOOK_SECRETS: dev-only-razorpay-webhook-secret-00000000001
MSG91_AUTH_KEY: dev-only-msg91-auth-key-of-the-testbed
RAZORPAYX_KEY_SECRET: dev-only-razorpayx-key-secret-0000000001
PAYOUT_WEBHOOK_SECRETS: dev-only-payout-webhook-secret-0000000001
S3_SECRET_ACCESS_KEY: dev-only-objects-secret-access-key-00001
GITHUB_TOKEN: dev-only-github-token-of-the-testbed-000001
{{- end }}
