#!/bin/sh
# Fuzzes the three APIs by their OpenAPI documents, on a stack of its own that is gone afterwards:
# the fuzzer changes limits, prices, evidence and portal users as any super admin may.
set -eu
cd "$(dirname "$0")/.."
.ci/tools/node.sh
export PATH="$PWD/.tools/node/bin:$PATH"

base=${FUZZ_PORT_BASE:-4600}
export STACK_HOME=.dev/fuzz STACK_DATABASE=digital_gold_fuzz
export CUSTOMER_PORT="$base" ADMIN_PORT=$((base + 1)) ACCOUNTING_PORT=$((base + 2))
export SANDBOX_PORT=$((base + 10)) POSTGRES_PORT=$((base + 20)) REDIS_PORT=$((base + 21))
export CUSTOMER_INTERNAL_PORT=$((base + 50)) ADMIN_INTERNAL_PORT=$((base + 51))
export ACCOUNTING_INTERNAL_PORT=$((base + 52)) WORKER_INTERNAL_PORT=$((base + 53))

backend() { npm run --silent -w @digital-gold/backend "$@"; }

if ! python3 -c 'import ensurepip, venv' >/dev/null 2>&1; then
  echo 'left out: the fuzzer needs Python 3 with venv and pip'
  exit 0
fi
trap 'backend stack -- reset >/dev/null 2>&1' EXIT
trap 'exit 130' INT TERM
backend stack -- reset >/dev/null
backend stack -- up >/dev/null
backend fuzz
