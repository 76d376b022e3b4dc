#!/bin/sh
# Deploys one chart at one version to the cluster, or changes nothing:
#   deploy-release.sh TARGET CHART VERSION
# CHART is an OCI address or a path. The release and its namespace are called after the target; the
# values come from deploy/targets/TARGET.yaml if it exists.
set -eu

target=${1:-} chart=${2:-} version=${3:-}
values=$(cd "$(dirname "$0")/.." && pwd)/targets/$target.yaml

case $target in
  website | admin-portal | monitoring) ;;
  backend)
    echo 'the backend is a Pulumi program: make deploy STACK=...' >&2
    exit 2
    ;;
  *)
    echo "TARGET must be website, admin-portal or monitoring, not '$target'" >&2
    exit 2
    ;;
esac
[ -n "$chart" ] || { echo "CHART is not set: the chart of $target" >&2; exit 2; }
case $version in
  '' | *[!0-9A-Za-z.+-]*)
    echo "VERSION must be the chart's exact version, such as 1.4.2, not '$version'" >&2
    exit 2
    ;;
esac
command -v helm >/dev/null 2>&1 || { echo 'helm is not on the PATH: make tools' >&2; exit 1; }

set -- "$target" "$chart" --version "$version" --namespace "$target" --create-namespace
[ ! -f "$values" ] || set -- "$@" --values "$values"
exec helm upgrade --install "$@" --rollback-on-failure --wait --timeout 10m
