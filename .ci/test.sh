#!/bin/sh
# Runs the tests of every workspace, and those that need a tool which npm does not have; prints which
# of those were left out, and the time of each part. The backend's tests take most of the time. The
# other parts, which wait more than they compute, run one after another beside them, and their output
# follows the backend's.
#   test.sh [path…]   only these: cli/…, deploy/…, loadtests/…, charts/demo/…, else of
#                     the backend
# FAILURES may name a file that receives what failed as well.
set -u
cd "$(dirname "$0")/.." || exit 1
.ci/tools/node.sh || exit 1
export PATH="$PWD/.tools/node/bin:$PATH"

# A lane runs one part after another. What came of them is in its files: $lane.times, $lane.failed,
# $lane.failures, $lane.left_out.
kept=$(mktemp -d)
lane="$kept/backend"
others=''
trap 'rm -rf "$kept"' EXIT
trap '[ -z "$others" ] || kill "$others"; exit 130' INT TERM
[ ! -t 1 ] || export FORCE_COLOR=1

# why LOG: prints the tests that failed, each with its reason, or the end of what was no test.
why() {
  sed "s/$(printf '\033')\[[0-9;]*m//g" "$1" >"$lane.plain"
  grep -A 1 '^ FAIL ' "$lane.plain" || tail -n 20 "$lane.plain"
}

# timed NAME COMMAND…: runs a part, and keeps for the end how long it took and which tests failed.
timed() {
  name=$1
  shift
  printf '\n-- %s\n' "$name"
  begun=$(date +%s)
  { "$@" 2>&1; echo $? >"$lane.status"; } | tee "$lane.log"
  if [ "$(cat "$lane.status")" -ne 0 ]; then
    printf ' %s,' "$name" >>"$lane.failed"
    { printf '\n%s:\n' "$name"; why "$lane.log"; } >>"$lane.failures"
  fi
  printf '  %s s  %s\n' "$(($(date +%s) - begun))" "$name" >>"$lane.times"
}

# said KIND: prints what the lanes say of a kind; nothing where none says anything.
said() {
  cat "$kept"/*."$1" 2>/dev/null
}

# Ends the run, with what failed as the last thing that is printed.
finish() {
  failed=$(said failed)
  [ -n "$failed" ] || exit 0
  said failures | tee -a "${FAILURES:-/dev/null}"
  printf '\nFailed:%s\n' "${failed%,}"
  exit 1
}

# shellcheck disable=SC2317 # Reached by `timed`.
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
    printf '  %s:%s is not on the PATH\n' "$what" "$missing" >>"$lane.left_out"
    return
  fi
  timed "$what" "$@"
}

run_others() {
  lane="$kept/others"
  needs k6 -- 'load test thresholds' npm run --silent test:k6 -w loadtests
  needs helm -- charts charts/test.sh
  needs actionlint -- workflows .ci/workflows.sh
  needs versitygw -- 'object store on S3' suite backend --project s3
  needs pgbouncer -- 'behind PgBouncer' suite backend --project pooler
  for workspace in client deploy loadtests cluster-demo cli; do
    timed "$workspace" suite "$workspace"
  done
}

begun_all=$(date +%s)
run_others >"$kept/others.out" 2>&1 &
others=$!
timed 'backend, unit and fast' suite backend --project unit --project fast
timed 'backend, stories' suite backend --project stories
wait "$others"
others=''
cat "$kept/others.out"

printf '\nTime of each part, of %s s in all:\n' "$(($(date +%s) - begun_all))"
said times
left_out=$(said left_out)
[ -z "$left_out" ] || printf '\nLeft out (make tools builds the missing tools, but pgbouncer):\n%s\n' "$left_out"
finish
