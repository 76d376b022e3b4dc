#!/bin/sh
# Deploys the service to the cluster of a stack, or changes nothing:
#   deploy.sh up STACK        with PLAN=file: no more than that saved preview says
#   deploy.sh preview STACK   saves what would change: PREVIEWS/STACK.txt to read, STACK.plan.json to apply
#   deploy.sh drift STACK     ends with 1 where the cluster is not what was deployed
# STACK_FILE is the stack's file, as an absolute path, where a house keeps it elsewhere than here.
set -eu
cd "$(dirname "$0")/.."

command=${1:-} stack=${2:-}
case $command in
  up | preview | drift) ;;
  *) echo "the command must be up, preview or drift, not '$command'" >&2; exit 2 ;;
esac
[ -n "$stack" ] || { echo 'STACK is not set; use dev, staging or prod' >&2; exit 2; }
file=${STACK_FILE:-Pulumi.$stack.yaml}
[ -f "$file" ] || { echo "there is no stack $stack: no $file" >&2; exit 2; }
command -v pulumi >/dev/null 2>&1 || { echo 'pulumi is not on the PATH: make tools TOOLS=pulumi' >&2; exit 1; }
plan=${PLAN:-}
[ -z "$plan" ] || [ -f "$plan" ] || { echo "there is no saved preview $plan" >&2; exit 2; }

run() { pulumi "$@" --stack "$stack" --config-file "$file" --non-interactive --color never; }
checked() { npm run --silent build:policy; run "$@" --policy-pack policy/dist; }

case $command in
  up)
    if [ -n "$plan" ]; then
      checked up --yes --skip-preview --plan "$plan"
    else
      checked up --yes
    fi
    ;;
  preview)
    previews=${PREVIEWS:-../.dev/previews}
    mkdir -p "$previews"
    checked preview --diff --suppress-permalink=true --save-plan "$previews/$stack.plan.json" >"$previews/$stack.raw" ||
      { cat "$previews/$stack.raw" >&2; exit 1; }
    # In one order, so that two previews of the same change are the same text.
    npm run --silent sort:preview <"$previews/$stack.raw" >"$previews/$stack.txt"
    rm "$previews/$stack.raw"
    cat "$previews/$stack.txt"
    ;;
  drift)
    run refresh --preview-only --diff --expect-no-changes
    ;;
esac
