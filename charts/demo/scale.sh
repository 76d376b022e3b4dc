#!/bin/sh
# Lets the customer API grow and shrink by the CPU of its pods, on the cluster of the present kube
# context: README.md.
set -eu
cd "$(dirname "$0")/../.."
PATH="$PWD/.tools/bin:$PATH" exec node --import tsx charts/demo/src/scale/main.ts
