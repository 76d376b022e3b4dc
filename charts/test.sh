#!/bin/sh
# Checks every chart here with what is on the PATH: helm (lint, rendering), its plugin unittest,
# kubeconform, helm-docs. Prints one line for each part that is left out; without helm that is everything.
#
#   KUBECONFORM_SCHEMAS=...   where kubeconform finds the schemas of Kubernetes (else the internet)
set -eu
cd "$(dirname "$0")"

# Custom resources are not in the schemas of Kubernetes.
custom_resources=BackendConfig,HTTPRoute,Middleware,PodMonitor,PrometheusRule,ServersTransport
# Some values files leave the image to whoever installs the chart.
image=image.repository=registry.example.com/digital-gold
rendered=$(mktemp -d)
trap 'rm -rf "$rendered"' EXIT

say() { printf 'charts: %s\n' "$*"; }
fail() { say "$*" >&2; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }

lint() { # chart values
  helm lint "$1" --strict --quiet --values "$2" --set "$image" || fail "helm lint fails on $1 with $2"
}

# Checks the rendered objects against the schemas of Kubernetes, for an install and an upgrade.
conform() { # chart values
  for how in '' --is-upgrade; do
    helm template gold "$1" --namespace gold --values "$2" --set "$image" $how >"$rendered/all.yaml" ||
      fail "$1 can't be rendered with $2"
    have kubeconform || continue
    kubeconform -strict -skip "$custom_resources" \
      -schema-location "${KUBECONFORM_SCHEMAS:-default}" "$rendered/all.yaml" ||
      fail "$1 with $2 renders objects that do not match the schemas of Kubernetes"
  done
}

# Renders the Deployment of a process with additional values.
pods() { # process arguments...
  process=$1
  shift
  helm template gold digital-gold --values digital-gold/ci/minimal-values.yaml "$@" \
    --show-only "templates/$process/deployment.yaml"
}
job() { # arguments...
  helm template gold digital-gold --values digital-gold/ci/minimal-values.yaml "$@" \
    --show-only templates/migrations/job.yaml | sed -n 's/^  name: //p'
}
# A text that could not be rendered is empty, and must not count as equal or different.
rendered_both() {
  for text in "$1" "$2"; do [ -n "$text" ] || fail "nothing rendered: $3"; done
}
same() { rendered_both "$@"; [ "$1" = "$2" ] || fail "$3"; }
differ() { rendered_both "$@"; [ "$1" != "$2" ] || fail "$3"; }

check_rollouts() {
  worker=$(pods worker)
  differ "$worker" "$(pods worker --set config.LOG_LEVEL=debug)" 'new configuration does not roll the pods'
  differ "$worker" "$(pods worker --set worker.config.LOG_LEVEL=debug)" \
    "a process's new configuration does not roll it"
  same "$worker" "$(pods worker --set customer.config.LOG_LEVEL=debug)" \
    "another process's configuration rolls the worker"
  same "$worker" "$(pods worker --set-string settings.initial.DIGITAL_SELL_ENABLED=true)" \
    'a switch rolls the pods'
  migrations=$(job)
  same "$migrations" "$(job --set worker.replicas=5)" 'a changed number of pods runs the migrations again'
  for change in image.tag=next config.LOG_LEVEL=debug migrations.waitSeconds=5; do
    differ "$migrations" "$(job --set "$change")" "$change does not create a new migration Job"
  done
}

# Checks that the READMEs are what helm-docs generates from the values.
check_readmes() {
  for chart in */Chart.yaml; do
    chart=${chart%/Chart.yaml}
    [ -f "$chart/README.md.gotmpl" ] || continue
    helm-docs --dry-run --log-level warning --chart-search-root "$chart" >"$rendered/readme" ||
      fail "helm-docs fails on $chart"
    diff "$rendered/readme" "$chart/README.md" >/dev/null ||
      fail "$chart/README.md is not what helm-docs generates: run helm-docs --chart-search-root $chart"
  done
}

# Checks that the schema is what the comments of the values describe.
check_schema() {
  (cd .. && node --import tsx deploy/scripts/write-values-schema.ts \
    charts/digital-gold "${schemas%/*}" --check) ||
    fail "digital-gold/values.schema.json is not what its values.yaml describes: run make chart-schema"
}

# Checks the alerts: each has a runbook, and fires by its fault and by nothing else.
check_alerts() {
  sed -n 's/^ *runbook: //p' digital-gold/alerts/rules.yaml >"$rendered/pages"
  while read -r page; do
    [ -f "../backend/docs/runbooks/$page" ] || fail "alerts name $page, which is no runbook"
  done <"$rendered/pages"
  have promtool || { say 'left out: when alerts fire (no promtool)'; return; }
  sed 's/> STANDSTILL_SECONDS/> 60/' digital-gold/alerts/rules.yaml >"$rendered/rules.yaml"
  cp digital-gold/alerts/rules.test.yaml "$rendered"
  promtool test rules "$rendered/rules.test.yaml" >"$rendered/alerts" 2>&1 ||
    { cat "$rendered/alerts"; fail 'alerts do not fire as they should'; }
  helm template gold digital-gold --values digital-gold/ci/full-values.yaml \
    --show-only templates/shared/prometheus-rule.yaml | sed '1,/^spec:/d;s/^  //' >"$rendered/rules.yaml"
  promtool check rules "$rendered/rules.yaml" >"$rendered/alerts" 2>&1 ||
    { cat "$rendered/alerts"; fail 'the rendered alerts are no rules of Prometheus'; }
}

# Packages the chart as a release does: it has its image, and no link that leads nowhere.
check_release() {
  release=$rendered/digital-gold
  cp -R digital-gold "$release"
  node ../.ci/tools/release-chart.mjs "$release" 1.2.3 registry.example.com/digital-gold \
    https://example.com/digital-gold oci://registry.example.com/charts || fail 'the chart of a release fails'
  helm template gold "$release" --set secrets.existingSecret=a,migrations.existingSecret=b,objectStore.type=none |
    grep -q 'image: registry.example.com/digital-gold:' || fail 'the chart of a release has no image'
  ! grep -Eo '\]\([^)]+\)' "$release/README.md" | grep -Ev '\]\((https?:|#)' ||
    fail "links of the release's README lead nowhere"
}

if ! have helm; then
  say 'left out: helm is not on the PATH'
  exit 0
fi
have kubeconform || say 'left out: objects against the schemas of Kubernetes (no kubeconform)'
for chart in */Chart.yaml; do
  chart=${chart%/Chart.yaml}
  for values in "$chart"/ci/*-values.yaml "$chart"/examples/*-values.yaml; do
    [ -f "$values" ] || continue
    lint "$chart" "$values"
    conform "$chart" "$values"
  done
done
check_rollouts
check_alerts
if have node; then check_release; else say 'left out: the chart of a release (no node)'; fi
schemas=${KUBECONFORM_SCHEMAS:-}
if have node && [ -f "${schemas%/*}/pod-v1.json" ] && [ -d ../node_modules/yaml ]; then
  check_schema
else
  say "left out: the schema of the values (no node, packages or schemas of Kubernetes)"
fi
if have node && [ -d ../node_modules/tsx ]; then
  (cd ../deploy && npm run --silent test:rendered) || fail 'the policies refuse what the stacks would create'
else
  say 'left out: the policies of the stacks (no node or packages)'
fi
if helm plugin list 2>/dev/null | grep -q unittest; then
  for chart in */tests; do helm unittest "${chart%/tests}" || fail 'unit tests fail'; done
else
  say 'left out: unit tests (no helm plugin unittest)'
fi
if have helm-docs; then check_readmes; else say 'left out: READMEs (no helm-docs)'; fi
say 'all checks passed'
