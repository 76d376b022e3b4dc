#!/bin/sh
# Builds the tools that npm does not have from pinned Go modules into .tools. Skips those that are
# already built.
#   install.sh [tool…]   without arguments all but prometheus and kind, which no test needs, and
#                        pulumi, which takes ten minutes
# One that fails leaves the others: they are built, and the exit code is 1.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
tools=$(cd "$here/../.." && pwd)/.tools
bin=$tools/bin
# shellcheck source=.ci/tools/versions.sh
. "$here/versions.sh"

[ $# -gt 0 ] || set -- helm k6 helm-unittest helm-docs kubeconform actionlint versitygw toxiproxy promtool

version_of() {
  case $1 in
    k6) echo "$K6_VERSION" ;;
    helm) echo "$HELM_VERSION" ;;
    helm-unittest) echo "$HELM_UNITTEST_VERSION" ;;
    helm-docs) echo "$HELM_DOCS_VERSION" ;;
    kubeconform) echo "$KUBECONFORM_VERSION-$KUBERNETES_VERSION" ;;
    actionlint) echo "$ACTIONLINT_VERSION" ;;
    versitygw) echo "$VERSITYGW_VERSION" ;;
    toxiproxy) echo "$TOXIPROXY_VERSION" ;;
    promtool | prometheus) echo "$PROMETHEUS_VERSION" ;;
    pulumi) echo "$PULUMI_VERSION" ;;
    kind) echo "$KIND_VERSION" ;;
    *)
      echo "unknown tool $1; known are helm k6 helm-unittest helm-docs kubeconform actionlint versitygw toxiproxy promtool prometheus pulumi kind" >&2
      return 1
      ;;
  esac
}

# go_install PACKAGE@VERSION PROGRAM [LDFLAGS]: a module that can be installed as it is. A package
# may be called otherwise than its program (k6's root, helm's cmd), hence the folder aside.
go_install() {
  aside=$(mktemp -d "$tools/build.XXXXXX")
  if GOBIN=$aside go install -trimpath -ldflags "-s -w ${3:-}" "$1" && mv -f "$aside"/* "$bin/$2"; then
    rmdir "$aside"
  else
    rm -rf "$aside"
    return 1
  fi
}

# go_build FOLDER PACKAGE PROGRAM [LDFLAGS]: a module with replace lines, which `go install` refuses.
go_build() {
  (cd "$here/$1" && go build -mod=readonly -trimpath -ldflags "-s -w ${4:-}" -o "$bin/$3" "$2")
}

# Each part says by itself that it failed: `set -e` does not hold in what `if` asks for.
build() {
  case $1 in
    k6) go_install "go.k6.io/k6@v$K6_VERSION" k6 ;;
    helm)
      go_install "helm.sh/helm/v4/cmd/helm@v$HELM_VERSION" helm \
        "-X helm.sh/helm/v4/internal/version.version=v$HELM_VERSION"
      ;;
    helm-unittest)
      go_build helm-unittest github.com/helm-unittest/helm-unittest/cmd/helm-unittest helm-unittest ||
        return 1
      plugin=$tools/helm-plugins/helm-unittest
      mkdir -p "$plugin"
      sed "s/VERSION/$HELM_UNITTEST_VERSION/" "$here/helm-unittest/plugin.yaml" >"$plugin/plugin.yaml"
      ;;
    helm-docs)
      go_install "github.com/norwoodj/helm-docs/cmd/helm-docs@v$HELM_DOCS_VERSION" helm-docs \
        "-X main.version=$HELM_DOCS_VERSION"
      ;;
    kubeconform)
      go_install "github.com/yannh/kubeconform/cmd/kubeconform@v$KUBECONFORM_VERSION" kubeconform \
        "-X main.version=v$KUBECONFORM_VERSION" || return 1
      # Its default schemas are on the internet; these come from one release's API document.
      document=$(cd / && go mod download -json "k8s.io/kubernetes@v$KUBERNETES_VERSION" |
        sed -n 's/^[[:space:]]*"Dir": "\(.*\)",$/\1/p')/api/openapi-spec/swagger.json
      [ -f "$document" ] || { echo 'the API document of Kubernetes is missing'; return 1; }
      node "$here/kubernetes-schemas.mjs" "$document" "$tools/kubernetes-schemas"
      ;;
    actionlint)
      go_install "github.com/rhysd/actionlint/cmd/actionlint@v$ACTIONLINT_VERSION" actionlint \
        "-X github.com/rhysd/actionlint.version=$ACTIONLINT_VERSION"
      ;;
    versitygw)
      go_install "github.com/versity/versitygw/cmd/versitygw@v$VERSITYGW_VERSION" versitygw \
        "-X main.Version=v$VERSITYGW_VERSION"
      ;;
    kind) go_install "sigs.k8s.io/kind@v$KIND_VERSION" kind ;;
    toxiproxy)
      go_install "github.com/Shopify/toxiproxy/v2/cmd/server@v$TOXIPROXY_VERSION" toxiproxy-server
      ;;
    promtool | prometheus)
      go_build prometheus "github.com/prometheus/prometheus/cmd/$1" "$1" \
        "-X github.com/prometheus/common/version.Version=$PROMETHEUS_VERSION"
      ;;
    pulumi)
      go_build pulumi github.com/pulumi/pulumi/pkg/v3/cmd/pulumi pulumi \
        "-X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v$PULUMI_VERSION"
      ;;
  esac
}

# The CLI needs two plugins, which Pulumi distributes: one that runs TypeScript programs and one
# that talks to Kubernetes.
pulumi_plugins() {
  PATH="$bin:$PATH"
  command -v pulumi-resource-kubernetes >/dev/null ||
    pulumi plugin install resource kubernetes "$PULUMI_KUBERNETES_VERSION" >/dev/null 2>&1 ||
    echo 'pulumi: its Kubernetes plugin is missing and cannot be downloaded from Pulumi' >&2
  command -v pulumi-language-nodejs >/dev/null ||
    GOBIN=$bin go install -trimpath \
      "github.com/pulumi/pulumi/sdk/nodejs/cmd/pulumi-language-nodejs/v3@v$PULUMI_VERSION" \
      >/dev/null 2>&1 ||
    echo 'pulumi: its Node.js plugin is missing: install it from a release of Pulumi' >&2
}

for tool in "$@"; do version_of "$tool" >/dev/null; done
if ! command -v go >/dev/null 2>&1; then
  echo "Go 1.26 is required to build $*: go is not on the PATH" >&2
  exit 1
fi
export CGO_ENABLED=0 GOFLAGS=-buildvcs=false
mkdir -p "$bin" "$tools/stamps"

failed=''
for tool in "$@"; do
  version=$(version_of "$tool")
  if [ "$(cat "$tools/stamps/$tool" 2>/dev/null)" = "$version" ]; then
    printf '%-14s %-16s already built\n' "$tool" "$version"
    continue
  fi
  begun=$(date +%s)
  if ! build "$tool" >"$tools/$tool.log" 2>&1; then
    printf '%-14s %-16s failed:\n' "$tool" "$version" >&2
    tail -n 15 "$tools/$tool.log" >&2
    failed="$failed $tool"
    continue
  fi
  echo "$version" >"$tools/stamps/$tool"
  printf '%-14s %-16s built in %s s\n' "$tool" "$version" "$(($(date +%s) - begun))"
  [ "$tool" != pulumi ] || pulumi_plugins
done
[ -z "$failed" ] || { echo "not built:$failed" >&2; exit 1; }
