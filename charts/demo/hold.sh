#!/bin/sh
# Lets the cluster fail while the demo's release serves, after `make cluster-demo`: README.md.
set -eu
cd "$(dirname "$0")/../.."
PATH="$PWD/.tools/bin:$PATH" exec node --import tsx charts/demo/src/hold/main.ts
