#!/bin/sh
# Builds the service's image:
#   image.sh NAME:TAG [true]   `true` pushes it, for every platform, and writes its digest to
#                              .dev/image.digest
# NODE_IMAGE replaces the Dockerfile's base image, PLATFORMS the platforms of what is pushed.
set -eu
cd "$(dirname "$0")/.."

# What an image may have, unpacked: the base has some 240, and what comes on top has 104. So a
# dependency that brings a tenth more is seen.
most_megabytes=360
# The texts of licences that whoever passes the image on has to pass on: our own, those of the
# packages inside goldctl, that of tini, and of the packages one under each kind of name.
licences='/app/LICENSE /app/cli/dist/THIRD-PARTY.md /usr/share/doc/tini/copyright
  /app/node_modules/express/LICENSE /app/node_modules/lossless-json/LICENSE.md'

image=$1 push=${2:-}
set -- --file backend/Dockerfile --tag "$image" \
  --build-arg "VERSION=${image##*:}" \
  --build-arg "REVISION=$(git rev-parse HEAD 2>/dev/null || echo unknown)" \
  --build-arg "CREATED=$(date -u +%Y-%m-%dT%H:%M:%SZ)"
[ -z "${NODE_IMAGE:-}" ] || set -- "$@" --build-arg "NODE_IMAGE=$NODE_IMAGE"

docker buildx version >/dev/null 2>&1 ||
  { echo 'docker with buildx is required to build the image' >&2; exit 1; }
mkdir -p .dev
docker buildx build "$@" --load .
megabytes=$(($(docker image inspect --format '{{.Size}}' "$image") / 1000000))
[ "$megabytes" -le "$most_megabytes" ] ||
  { echo "the image has $megabytes MB, more than $most_megabytes: see what brings them" >&2; exit 1; }
# Each is a word of its own.
# shellcheck disable=SC2086
docker run --rm --entrypoint ls "$image" $licences >/dev/null ||
  { echo 'the image lacks texts of licences: see backend/docker/trim-packages.mjs' >&2; exit 1; }
[ "$push" = true ] || exit 0
# With a list of all its packages, the system's among them, and of how it was built.
docker buildx build "$@" --platform "${PLATFORMS:-linux/amd64,linux/arm64}" --push \
  --sbom true --provenance mode=max \
  --metadata-file .dev/image.json .
node -p "JSON.parse(require('node:fs').readFileSync('.dev/image.json', 'utf8'))['containerimage.digest']" \
  >.dev/image.digest
