#!/bin/sh
# Makes a cluster for `make cluster-demo` on this machine: kind, and two ingress controllers.
#   kind.sh up            writes the variables that the demo needs to .dev/kind.env
#   kind.sh digest IMAGE  names an image that the nodes have by its digest too, and prints the digest
#   kind.sh logs FOLDER   saves what the nodes and the pods said
#   kind.sh down
set -eu
cd "$(dirname "$0")/.."
PATH="$PWD/.tools/bin:$PATH"
name=${KIND_NAME:-digital-gold}
traefik=oci://ghcr.io/traefik/helm/traefik
traefik_version=41.3.0

# controller CLASS PORT: an ingress controller of its own for one class, at a port of the node. It
# writes the node's address into each Ingress, since Pulumi waits for one.
controller() {
  helm upgrade --install "traefik-$1" "$traefik" --version "$traefik_version" \
    --namespace traefik --create-namespace --wait --timeout 5m \
    --set "ingressClass.name=$1" --set ingressClass.isDefaultClass=false \
    --set "providers.kubernetesIngress.ingressClass=$1" \
    --set service.type=NodePort --set "ports.web.nodePort=$2" \
    --set providers.kubernetesIngress.publishedService.enabled=false \
    --set "providers.kubernetesIngress.ingressEndpoint.ip=$node" >/dev/null
}

case ${1:-} in
  up)
    kind create cluster --name "$name" --wait 5m
    node=$(kubectl get nodes --output 'jsonpath={.items[0].status.addresses[0].address}')
    controller public 30080
    controller internal 30081
    mkdir -p .dev
    {
      echo "INGRESS_ADDRESS=$node:30080"
      echo "INTERNAL_INGRESS_ADDRESS=$node:30081"
    } >.dev/kind.env
    ;;
  digest)
    image=docker.io/library/${2:?kind.sh digest IMAGE}
    for each in $(kind get nodes --name "$name"); do
      images() { docker exec "$each" ctr --namespace k8s.io images "$@"; }
      digest=$(images ls "name==$image" | awk 'NR == 2 { print $3 }')
      images tag --force "$image" "${image%:*}@$digest" >/dev/null
    done
    echo "$digest"
    ;;
  logs) kind export logs --name "$name" "${2:?kind.sh logs FOLDER}" ;;
  down) kind delete cluster --name "$name" ;;
  *) echo 'kind.sh up, digest IMAGE, logs FOLDER or down' >&2; exit 2 ;;
esac
