#!/bin/sh
# Installs everything on the cluster of the present kube context and plays the demo there: README.md.
set -eu
cd "$(dirname "$0")/../.."
PATH="$PWD/.tools/bin:$PATH" exec node --import tsx charts/demo/src/main.ts
