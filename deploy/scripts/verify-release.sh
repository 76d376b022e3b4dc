#!/bin/sh
# Ends with 0 when the release of a stack was built by this repository's release workflow, by the
# signatures in the registry: that of the image and that of the chart.
#   verify-release.sh STACK
# STACK_FILE is the stack's file, as in deploy.sh, where a house keeps it elsewhere than here.
# A stack that names an image by itself has nothing to verify, which only dev may.
set -eu
cd "$(dirname "$0")/.."

stack=${1:-}
stack_file=${STACK_FILE:-Pulumi.$stack.yaml}
[ -f "$stack_file" ] || { echo "there is no stack '$stack': no $stack_file" >&2; exit 2; }
version=$(sed -n 's/^ *digital-gold:release: *//p' "$stack_file" | tr -d "'\"")
if [ -z "$version" ]; then
  grep -q '^ *digital-gold:tier: *dev$' "$stack_file" && exit 0
  echo "$stack_file names no release" >&2
  exit 1
fi
file=releases/$version.yaml
[ -f "$file" ] || { echo "there is no $file" >&2; exit 1; }

of() { sed -n "/^$1:/,/^[a-z]/s/^  $2: *//p" "$file"; }
chart=$(of chart source)
verify() {
  gh attestation verify "$1" --repo "${GITHUB_REPOSITORY:?is not set}" \
    --signer-workflow "$GITHUB_REPOSITORY/.github/workflows/release.yml"
}
verify "oci://$(of image repository)@$(of image digest)"
verify "$chart:$(of chart version)"
