#!/bin/sh
# Packages the chart for a release; the chart and the image have the same version:
#   chart.sh package VERSION
#   chart.sh push VERSION REGISTRY
# IMAGE_REPOSITORY is where the release's image is, SOURCE_URL the repository's page: without them a
# package has no image of its own, and its README links to files that no registry has. `push` asks for
# both, and writes the chart's digest to .dev/chart.digest.
set -eu
cd "$(dirname "$0")/.."

action=$1 version=${2:-} registry=${3:-}
[ -n "$version" ] || { echo 'VERSION is not set, such as 1.2.3' >&2; exit 2; }
command -v helm >/dev/null 2>&1 || { echo 'helm is not on the PATH: make tools' >&2; exit 1; }
if [ "$action" = push ]; then
  [ -n "$registry" ] || { echo 'REGISTRY is not set, such as oci://registry.example.com/charts' >&2; exit 2; }
  [ -n "${IMAGE_REPOSITORY:-}" ] || { echo 'IMAGE_REPOSITORY is not set: where the image is' >&2; exit 2; }
  [ -n "${SOURCE_URL:-}" ] || { echo "SOURCE_URL is not set: the repository's page" >&2; exit 2; }
fi

mkdir -p .dev/charts .dev/release-chart
rm -rf .dev/release-chart/digital-gold
cp -R charts/digital-gold .dev/release-chart/digital-gold
node .ci/tools/release-chart.mjs .dev/release-chart/digital-gold "$version" \
  "${IMAGE_REPOSITORY:-}" "${SOURCE_URL:-}" "$registry"
helm package .dev/release-chart/digital-gold --version "$version" --app-version "$version" \
  --destination .dev/charts
[ "$action" = push ] || exit 0
helm push ".dev/charts/digital-gold-$version.tgz" "$registry" 2>&1 | tee .dev/chart.push
sed -n 's/^Digest: *//p' .dev/chart.push >.dev/chart.digest
[ -s .dev/chart.digest ] || { echo 'the chart was not pushed, or its digest not said' >&2; exit 1; }
