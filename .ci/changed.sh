#!/bin/sh
# Says whether a change touches any of these paths:
#   changed.sh COMMIT PATH…   "true" or "false". A commit that is not known counts as a change of all.
set -eu
commit=$1
shift
git cat-file -e "$commit^{commit}" 2>/dev/null || { echo true; exit 0; }
if git diff --quiet "$commit" HEAD -- "$@"; then echo false; else echo true; fi
