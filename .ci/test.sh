#!/bin/sh
# Runs the tests of every workspace, then those that need a tool which npm does not have, and says
# which of those were left out.
#   test.sh [path…]   only these: cli/…, deploy/…, loadtests/…, else of the backend
set -u
cd "$(dirname "$0")/.." || exit 1

failed='' left_out=''

suite() {
  workspace=$1
  shift
  printf '\n-- %s\n' "$workspace"
  npm run --silent test -w "$workspace" -- "$@" || failed="$failed $workspace"
}

if [ $# -gt 0 ]; then
  for path in "$@"; do
    case $path in
      backend/* | cli/* | deploy/* | loadtests/*) suite "${path%%/*}" "${path#*/}" ;;
      *) suite backend "$path" ;;
    esac
  done
  [ -z "$failed" ] || exit 1
  exit 0
fi

for workspace in backend cli deploy loadtests; do suite "$workspace"; done

printf '\n-- charts/demo\n'
node_modules/.bin/vitest run --config charts/demo/vitest.config.ts || failed="$failed charts/demo"

# needs TOOL… -- WHAT COMMAND…: runs it where the tools are.
needs() {
  missing=''
  while [ "$1" != -- ]; do
    command -v "$1" >/dev/null 2>&1 || missing="$missing $1"
    shift
  done
  what=$2
  shift 2
  if [ -n "$missing" ]; then
    left_out="$left_out
  $what: no$missing on the PATH"
    return
  fi
  printf '\n-- %s\n' "$what"
  "$@" || failed="$failed $what"
}

needs helm -- charts charts/test.sh
needs actionlint -- workflows actionlint
needs k6 -- 'load test thresholds' npm run --silent test:k6 -w loadtests

[ -z "$left_out" ] || printf '\nLeft out (make tools builds what is missing):%s\n' "$left_out"
if [ -n "$failed" ]; then
  printf '\nFailed:%s\n' "$failed"
  exit 1
fi
