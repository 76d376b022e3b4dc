#!/bin/sh
# Runs the tests of every workspace, then those that need a tool which npm does not have, and prints
# which of those were left out. Prints the time of each workspace.
#   test.sh [path…]   only these: cli/…, deploy/…, loadtests/…, charts/demo/…, else of
#                     the backend
# FAILURES may name a file that receives what failed as well.
set -u
cd "$(dirname "$0")/.." || exit 1

failed='' left_out='' times=''
kept=$(mktemp -d)
trap 'rm -rf "$kept"' EXIT
trap 'exit 130' INT TERM
[ ! -t 1 ] || export FORCE_COLOR=1

# why LOG: prints the tests that failed, each with its reason, or the end of what was no test.
why() {
  sed "s/$(printf '\033')\[[0-9;]*m//g" "$1" >"$kept/plain"
  grep -A 1 '^ FAIL ' "$kept/plain" || tail -n 20 "$kept/plain"
}

# timed NAME COMMAND…: runs it, and keeps for the end how long it took and which tests failed.
timed() {
  name=$1
  shift
  printf '\n-- %s\n' "$name"
  begun=$(date +%s)
  { "$@" 2>&1; echo $? >"$kept/status"; } | tee "$kept/log"
  if [ "$(cat "$kept/status")" -ne 0 ]; then
    failed="$failed $name,"
    printf '\n%s:\n' "$name" >>"$kept/failures"
    why "$kept/log" >>"$kept/failures"
  fi
  times="$times
  $(($(date +%s) - begun)) s  $name"
}

# Ends the run, with what failed as the last thing that is printed.
finish() {
  [ -n "$failed" ] || exit 0
  tee -a "${FAILURES:-/dev/null}" <"$kept/failures"
  printf '\nFailed:%s\n' "${failed%,}"
  exit 1
}

suite() {
  workspace=$1
  shift
  npm run --silent test -w "@digital-gold/$workspace" -- "$@"
}

if [ $# -gt 0 ]; then
  for path in "$@"; do
    case $path in
      backend/client/*) timed "$path" suite client "${path#backend/client/}" ;;
      charts/demo/*) timed "$path" suite cluster-demo "${path#charts/demo/}" ;;
      backend/* | cli/* | deploy/* | loadtests/*) timed "$path" suite "${path%%/*}" "${path#*/}" ;;
      *) timed "$path" suite backend "$path" ;;
    esac
  done
  finish
fi

timed 'backend, fast' suite backend --project fast
timed 'backend, stories' suite backend --project stories
for workspace in client cli deploy loadtests cluster-demo; do timed "$workspace" suite "$workspace"; done

# needs TOOL… -- NAME COMMAND…: runs COMMAND if the tools are on the PATH.
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
  $what:$missing is not on the PATH"
    return
  fi
  timed "$what" "$@"
}

needs versitygw -- 'object store on S3' suite backend --project s3
needs helm -- charts charts/test.sh
needs actionlint -- workflows actionlint
needs k6 -- 'load test thresholds' npm run --silent test:k6 -w loadtests

printf '\nTime of each part:%s\n' "$times"
[ -z "$left_out" ] || printf '\nLeft out (make tools builds the missing tools):%s\n' "$left_out"
finish
