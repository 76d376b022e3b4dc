#!/bin/sh
# Deploys the service to the cluster of a stack, or changes nothing:
#   deploy.sh STACK
# IMAGE_TAG and IMAGE_DIGEST, if set, are written into the stack's file first.
set -eu
cd "$(dirname "$0")/.."

stack=${1:-}
[ -n "$stack" ] || { echo 'STACK is not set; use dev, staging or prod' >&2; exit 2; }
[ -f "Pulumi.$stack.yaml" ] || { echo "there is no stack $stack: no Pulumi.$stack.yaml" >&2; exit 2; }
command -v pulumi >/dev/null 2>&1 || { echo 'pulumi is not on the PATH: make tools' >&2; exit 1; }

set_image() {
  [ -z "$2" ] ||
    pulumi config set --stack "$stack" --path "digital-gold:image.$1" --type string "$2"
}
set_image tag "${IMAGE_TAG:-}"
set_image digest "${IMAGE_DIGEST:-}"
exec pulumi up --stack "$stack" --yes --non-interactive --policy-pack policy
