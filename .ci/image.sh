#!/bin/sh
# Builds the service's image:
#   image.sh NAME:TAG [true]   `true` pushes it and writes its digest to .dev/image.digest
# NODE_IMAGE replaces the Dockerfile's base image.
set -eu
cd "$(dirname "$0")/.."

image=$1 push=${2:-}
set -- --file backend/Dockerfile --tag "$image" \
  --build-arg "VERSION=${image##*:}" \
  --build-arg "REVISION=$(git rev-parse HEAD 2>/dev/null || echo unknown)" \
  --build-arg "CREATED=$(date -u +%Y-%m-%dT%H:%M:%SZ)"
[ -z "${NODE_IMAGE:-}" ] || set -- "$@" --build-arg "NODE_IMAGE=$NODE_IMAGE"

docker buildx version >/dev/null 2>&1 ||
  { echo 'docker with buildx is required to build the image' >&2; exit 1; }
mkdir -p .dev
if [ "$push" = true ]; then
  docker buildx build "$@" --push --metadata-file .dev/image.json .
  node -p "JSON.parse(require('node:fs').readFileSync('.dev/image.json', 'utf8'))['containerimage.digest']" \
    >.dev/image.digest
else
  docker buildx build "$@" --load .
fi
