#!/bin/sh
# Makes a cluster for `make cluster-demo` on this machine: kind, and two ingress controllers.
#   kind.sh up            writes the variables that the demo needs to .dev/kind.env
#   kind.sh logs FOLDER   saves what the nodes and the pods said
#   kind.sh down
set -eu
cd "$(dirname "$0")/.."
PATH="$PWD/.tools/bin:$PATH"
name=${KIND_NAME:-digital-gold}
traefik=oci://ghcr.io/traefik/helm/traefik
traefik_version=41.3.0

# controller CLASS PORT: an ingress controller of its own for one class, at a port of the node.
controller() {
  helm upgrade --install "traefik-$1" "$traefik" --version "$traefik_version" \
    --namespace traefik --create-namespace --wait --timeout 5m \
    --set "ingressClass.name=$1" --set ingressClass.isDefaultClass=false \
    --set "providers.kubernetesIngress.ingressClass=$1" \
    --set service.type=NodePort --set "ports.web.nodePort=$2" >/dev/null
}

case ${1:-} in
  up)
    kind create cluster --name "$name" --wait 5m
    controller public 30080
    controller internal 30081
    node=$(kubectl get nodes --output 'jsonpath={.items[0].status.addresses[0].address}')
    mkdir -p .dev
    {
      echo "INGRESS_ADDRESS=$node:30080"
      echo "INTERNAL_INGRESS_ADDRESS=$node:30081"
    } >.dev/kind.env
    ;;
  logs) kind export logs --name "$name" "${2:?kind.sh logs FOLDER}" ;;
  down) kind delete cluster --name "$name" ;;
  *) echo 'kind.sh up, logs FOLDER or down' >&2; exit 2 ;;
esac
