#!/bin/sh
# Takes away what run.sh made: the namespace with all that is in it, volumes too.
set -eu
namespace=${DEMO_NAMESPACE:-digital-gold-demo}
kube() { kubectl ${KUBE_CONTEXT:+--context "$KUBE_CONTEXT"} "$@"; }

if [ -z "$(kube get namespace "$namespace" --ignore-not-found --output name)" ]; then
  echo "there is no namespace $namespace"
  exit 0
fi
if ! kube get namespace --selector digital-gold/demo=true --output name | grep -qx "namespace/$namespace"; then
  echo "the namespace $namespace was not made by the demo: it stays" >&2
  exit 1
fi
kube delete namespace "$namespace" --wait --timeout 5m
