#!/bin/sh
# Packages the chart for a release; the chart and the image have the same version:
#   chart.sh package VERSION
#   chart.sh push VERSION REGISTRY
set -eu
cd "$(dirname "$0")/.."

action=$1 version=${2:-} registry=${3:-}
[ -n "$version" ] || { echo 'VERSION is not set, such as 1.2.3' >&2; exit 2; }
command -v helm >/dev/null 2>&1 || { echo 'helm is not on the PATH: make tools' >&2; exit 1; }

mkdir -p .dev/charts
helm package charts/digital-gold --version "$version" --app-version "$version" --destination .dev/charts
[ "$action" = push ] || exit 0
[ -n "$registry" ] || { echo 'REGISTRY is not set, such as oci://registry.example.com/charts' >&2; exit 2; }
helm push ".dev/charts/digital-gold-$version.tgz" "$registry"
