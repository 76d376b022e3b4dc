#!/bin/sh
# Deploys the service to the cluster of a stack, or changes nothing:
#   deploy.sh up STACK        with PREVIEW=file: only where the same would change as that preview says
#   deploy.sh preview STACK   saves what would change as PREVIEWS/STACK.txt, to be read and approved
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
reviewed=${PREVIEW:-}
[ -z "$reviewed" ] || [ -f "$reviewed" ] || { echo "there is no saved preview $reviewed" >&2; exit 2; }

run() { pulumi "$@" --stack "$stack" --config-file "$file" --non-interactive --color never; }
checked() { run "$@" --policy-pack policy/dist; }

# Writes what would change to a file, in one order, so that the same change is the same text. A
# secret is never shown, so the stack's file is part of it by its digest.
save_preview() {
  checked preview --diff --suppress-permalink=true --suppress-progress >"$1.raw" || { cat "$1.raw" >&2; rm "$1.raw"; exit 1; }
  {
    printf 'The file of the stack: sha256:%s\n' "$(sha256sum <"$file" | cut -d ' ' -f 1)"
    npm run --silent sort:preview <"$1.raw"
  } >"$1"
  rm "$1.raw"
}

case $command in
  up)
    npm run --silent build:policy
    if [ -n "$reviewed" ]; then
      folder=$(mktemp -d)
      trap 'rm -r "$folder"' EXIT
      save_preview "$folder/now"
      if ! diff -u "$reviewed" "$folder/now"; then
        echo 'this is not what was reviewed: nothing was changed' >&2
        exit 4
      fi
      checked up --yes --skip-preview
    else
      checked up --yes
    fi
    ;;
  preview)
    previews=${PREVIEWS:-../.dev/previews}
    mkdir -p "$previews"
    npm run --silent build:policy
    save_preview "$previews/$stack.txt"
    cat "$previews/$stack.txt"
    ;;
  drift)
    # Secrets are open in the pipe alone, and are not printed.
    pulumi stack export --show-secrets --stack "$stack" | npm run --silent report:drift
    ;;
esac
